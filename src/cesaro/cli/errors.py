"""How a command ends: 0, 2 with an error and a hint, or 130 after Ctrl-C."""

import functools
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn

import typer

from cesaro.cli import output

WRONG, INTERRUPTED = 2, 130
HINTS = {  # by name: the classes are in modules that are slow to import
    "SvmlightError": "DATA is svmlight text, one row a line: +1 3:0.5 7:1",
    "DataError": "`cesaro data list` shows what is on this machine.",
    "ModelFileError": "`cesaro fit DATA --model FILE` writes a model file.",
    "ImportError": "pip install 'cesaro[report,torch]' has what figures and networks need.",
    "MemoryError": "use fewer rows, or a machine with more memory.",
    "OSError": "check the path and its permissions.",
}


class Trouble(Exception):
    """What went wrong, and what to do about it."""

    def __init__(self, message: str, hint: str):
        super().__init__(message)
        self.hint = hint


def ends_well(command: Callable) -> Callable:
    """The command, whose errors become one line, a hint and an exit code. Faults of our own keep their traceback."""

    @functools.wraps(command)
    def wrapped(*args: Any, **options: Any) -> Any:
        try:
            return command(*args, **options)
        except Trouble as trouble:
            _fail(str(trouble), trouble.hint)
        except (BrokenPipeError, typer.Exit):
            raise
        except OSError as error:
            _fail(f"{error.filename}: {error.strerror}" if error.filename else str(error), _hint(error))
        except (ValueError, MemoryError, ImportError) as error:
            _fail(str(error) or type(error).__name__, _hint(error))
        except KeyboardInterrupt:
            output.note("interrupted: nothing was written.")
            raise typer.Exit(INTERRUPTED) from None

    return wrapped


def check_place(path: Path | None) -> None:
    """Refuse a place that cannot be written to before the work, not after it."""
    if path is not None and (path.is_dir() or not path.absolute().parent.is_dir()):
        raise Trouble(f"{path} is not a place for a file", "name a file in a folder that exists.")


def _hint(error: Exception) -> str:
    """What to do about an error of the library, by its kind: the most special kind decides."""
    for kind in type(error).__mro__:
        if kind.__name__ in HINTS:
            return HINTS[kind.__name__]
    return "the option --help of a command shows what it takes."


def _fail(message: str, hint: str) -> NoReturn:
    output.error(message, hint)
    raise typer.Exit(WRONG) from None


def refuse(error: Exception) -> NoReturn:
    """End after a command line that cannot be understood; any other error goes on its way."""
    if not hasattr(error, "format_message"):  # typer's exceptions have no public name of their own
        raise error
    context = getattr(error, "ctx", None)
    if type(error).__name__ == "NoArgsIsHelpError":  # its message is the help, printed already
        sys.exit(WRONG)
    message = error.format_message().replace("Value error, ", "")
    output.error(message, f"{context.command_path if context else 'cesaro'} --help shows what it takes.")
    sys.exit(WRONG)


class Interruption:
    """Whether Ctrl-C was pressed; truthy if so."""

    seen = False

    def __bool__(self) -> bool:
        return self.seen


@contextmanager
def remembering_interrupts() -> Iterator[Interruption]:
    """Ctrl-C raises as ever, and is remembered: an estimator catches it and keeps the model at hand."""
    interruption = Interruption()

    def remember(number: int, frame: Any) -> None:
        interruption.seen = True
        signal.default_int_handler(number, frame)

    try:
        before = signal.signal(signal.SIGINT, remember)
    except ValueError:  # not the main thread: there is no Ctrl-C here
        yield interruption
        return
    try:
        yield interruption
    finally:
        signal.signal(signal.SIGINT, before)
