"""cesaro data: which data sets there are, where they are, and how to get them."""

import typer

from cesaro.cli import options, screen
from cesaro.cli.ending import ends_well

data = typer.Typer(name="data", help="List the data sets, or fetch one.", invoke_without_command=True)


@data.callback()
def begin(context: typer.Context, json: options.Json = False) -> None:
    """List the data sets, or fetch one."""
    if context.invoked_subcommand is None:
        listing(json)


@data.command("list")
@ends_well
def listing(json: options.Json = False) -> None:
    """Which data sets there are, from where, how large."""
    screen.as_json({})


@data.command()
@ends_well
def fetch(name: str, json: options.Json = False) -> None:
    """Download a data set into the cache, unless it is there."""
    screen.as_json({})
