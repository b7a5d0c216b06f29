"""Errors and exit codes: 0, 2 with an error that says what to do, if need be in a hint, or 130 after Ctrl-C."""

import functools
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn

import typer

from cesaro.cli import output

EXIT_ERROR, EXIT_INTERRUPTED = 2, 130
HINTS = {  # by name: the classes are in modules that are slow to import
    "SvmlightError": "DATA is svmlight text, one row a line: +1 3:0.5 7:1",
    "DataError": "`cesaro data list` shows what is on this machine.",
    "ModelFileError": "`cesaro fit DATA --model FILE` writes a model file.",
    "MemoryError": "use fewer rows, or a machine with more memory.",
    "OSError": "check the path and its permissions.",
}


class CLIError(Exception):
    """An error of the user's: what went wrong, and a hint what to do."""

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(message)
        self.hint = hint


def handle_errors(command: Callable[..., Any]) -> Callable[..., Any]:
    """A decorator: errors become one line, perhaps a hint, and an exit code. Bugs of ours keep their traceback."""

    @functools.wraps(command)
    def wrapped(*args: Any, **options: Any) -> Any:
        try:
            return command(*args, **options)
        except CLIError as error:
            _fail(str(error), error.hint)
        except (BrokenPipeError, typer.Exit):
            raise
        except OSError as error:
            _fail(f"{error.filename}: {error.strerror}" if error.filename else str(error), _hint(error))
        except (ValueError, MemoryError, ImportError) as error:
            _fail(str(error) or type(error).__name__, _hint(error))
        except KeyboardInterrupt:
            output.print_note("interrupted: nothing was written.")
            raise typer.Exit(EXIT_INTERRUPTED) from None

    return wrapped


def check_output_path(path: Path | None) -> None:
    """Refuse a path that cannot be written to before the work, not after it; also a device or a pipe."""
    if path is not None and (path.is_dir() or not path.absolute().parent.is_dir()):
        raise CLIError(f"{path} is not a path for a file", "name a file in a folder that exists.")
    if path is not None and path.exists() and not path.is_file():
        raise CLIError(f"{path} is a device or a pipe, which a file would replace", "name a regular file.")


def _hint(error: Exception) -> str | None:
    """What to do about an error of the library, by its kind: the most special kind decides. Others say it themselves."""
    for kind in type(error).__mro__:
        if kind.__name__ in HINTS:
            return HINTS[kind.__name__]
    return None


def _fail(message: str, hint: str | None) -> NoReturn:
    output.print_error(message, hint)
    raise typer.Exit(EXIT_ERROR) from None


def exit_with_usage_error(error: Exception) -> NoReturn:
    """Exit after a command line that cannot be parsed; any other error is raised again."""
    if not hasattr(error, "format_message"):  # typer's exceptions have no public name of their own
        raise error
    context = getattr(error, "ctx", None)
    if type(error).__name__ == "NoArgsIsHelpError":  # its message is the help, printed already
        sys.exit(EXIT_ERROR)
    message = error.format_message().replace("Value error, ", "")
    output.print_error(message, f"{context.command_path if context else 'cesaro'} --help shows what it takes.")
    sys.exit(EXIT_ERROR)


class InterruptFlag:
    """Truthy once Ctrl-C was pressed."""

    is_set = False

    def __bool__(self) -> bool:
        return self.is_set


@contextmanager
def record_interrupts() -> Iterator[InterruptFlag]:
    """Ctrl-C raises as ever, and sets a flag: an estimator catches it and stays usable."""
    flag = InterruptFlag()

    def record(number: int, frame: Any) -> None:
        flag.is_set = True
        signal.default_int_handler(number, frame)

    try:
        before = signal.signal(signal.SIGINT, record)
    except ValueError:  # not the main thread: there is no Ctrl-C here
        yield flag
        return
    try:
        yield flag
    finally:
        signal.signal(signal.SIGINT, before)
