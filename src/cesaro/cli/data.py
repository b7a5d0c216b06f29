"""cesaro data: which data sets there are, where they are, and how to get them."""

import sys
from typing import Annotated, Any

import typer

from cesaro.cli import options, output
from cesaro.cli.errors import handle_errors
from cesaro.cli.progress import progress_bar

data_app = typer.Typer(name="data", help="List the data sets, or fetch one.", invoke_without_command=True)
Name = Annotated[str, typer.Argument(metavar="NAME", help="One of those that `cesaro data list` names.")]


@data_app.callback()
def data_command(context: typer.Context, json: options.Json = False) -> None:
    """List the data sets, or fetch one."""
    context.obj = json  # a subcommand's --json may stand before it
    if context.invoked_subcommand is None:
        print_listing(json)


@data_app.command("list")
def list_command(context: typer.Context, json: options.Json = False) -> None:
    """Which data sets there are, where, and how large."""
    print_listing(json or context.obj)


@handle_errors
def print_listing(json: bool) -> None:
    """The data sets on stdout."""
    from cesaro.data import listing

    found = [listed._asdict() for listed in listing()]
    if json:
        output.print_json({"sets": found})
    else:
        _print_table(found)


@data_app.command("fetch")
@handle_errors
def fetch_command(context: typer.Context, name: Name, json: options.Json = False) -> None:
    """Download a data set into the cache, unless it is here; check it in any case."""
    with progress_bar() as bar:
        bar.start("loading")
        from cesaro.data import fetch, locate

        bar.start(f"checking {name}")
        here = locate(name) is not None
        if here:
            path = fetch(name, progress=False)
        else:
            with bar.paused():
                path = fetch(name, progress=sys.stderr.isatty())
    if json or context.obj:
        output.print_json({"name": name, "path": path, "downloaded": not here})
    else:
        output.print_title(name, f"{'here already' if here else 'downloaded'} and checked: {path}")


def _print_table(found: list[dict[str, Any]]) -> None:
    from rich.text import Text

    table = output.make_table("name", "where", "size", "about", right=False)
    for listed in found:
        here = listed["path"] is not None
        table.add_row(
            Text(listed["name"], style="bold"),
            Text(listed["where"], style="green" if here else "dim"),
            output.format_bytes(listed["bytes"]) if here else "",
            Text.assemble(listed["about"], (f"\n{listed['credit']}", "dim")),
        )
    output.print_renderable(table)
    output.print_title("cesaro data fetch NAME", "downloads one; a copy in the folder $CESARO_DATA is found too.")
