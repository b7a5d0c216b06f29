"""cesaro data: which data sets there are, where they are, and how to get them."""

import sys
from typing import Annotated

import typer

from cesaro.cli import options, output
from cesaro.cli.errors import ends_well
from cesaro.cli.progress import bars

data = typer.Typer(name="data", help="List the data sets, or fetch one.", invoke_without_command=True)
Name = Annotated[str, typer.Argument(metavar="NAME", help="One of those that `cesaro data list` names.")]


@data.callback()
def begin(context: typer.Context, json: options.Json = False) -> None:
    """List the data sets, or fetch one."""
    context.obj = json  # a subcommand's --json may stand before it
    if context.invoked_subcommand is None:
        show(json)


@data.command("list")
def listing(context: typer.Context, json: options.Json = False) -> None:
    """Which data sets there are, where, and how large."""
    show(json or context.obj)


@ends_well
def show(json: bool) -> None:
    """The list."""
    from cesaro.data import listing as lines

    found = [line._asdict() for line in lines()]
    if json:
        output.as_json({"sets": found})
    else:
        _print(found)


@data.command()
@ends_well
def fetch(context: typer.Context, name: Name, json: options.Json = False) -> None:
    """Download a data set into the cache, unless it is here; check it in any case."""
    with bars() as bar:
        bar.doing("loading")
        from cesaro.data import fetch as get
        from cesaro.data import locate

        bar.doing(f"checking {name}")
        here = locate(name) is not None
        if here:
            path = get(name, progress=False)
        else:
            with bar.paused():
                path = get(name, progress=sys.stderr.isatty())
    if json or context.obj:
        output.as_json({"name": name, "path": path, "downloaded": not here})
    else:
        output.title(name, f"{'here already' if here else 'downloaded'} and checked: {path}")


def _print(found: list[dict]) -> None:
    from rich.text import Text

    table = output.table("name", "where", "size", "about", right=False)
    for line in found:
        here = line["path"] is not None
        table.add_row(
            Text(line["name"], style="bold"),
            Text(line["where"], style="green" if here else "dim"),
            output.size(line["bytes"]) if here else "",
            Text.assemble(line["about"], (f"\n{line['credit']}", "dim")),
        )
    output.show(table)
    output.title("cesaro data fetch NAME", "downloads one; a copy in the folder $CESARO_DATA is found too.")
