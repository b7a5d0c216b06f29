"""Checkpoints: what a run needs to go on, written so that whatever moment a process dies at leaves a whole one.

A file is one line, `cesaro checkpoint FORMAT <sha256>`, and a safetensors payload: arrays, and JSON for what is not an
array. The checksum is of the words before it and of the payload. A file is written whole or not at all; the one before is
kept. Every file says what run it is `about`, so that no run goes on from another one's state. Loading runs no code.
"""

import errno
import hashlib
import json
import os
import re
import time
import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load, save

from cesaro.storage.atomic_write import abandoned, whole_file
from cesaro.storage.states import CheckpointError, seed_of
from cesaro.version import __version__

FORMAT = 4
MAGIC = b"cesaro checkpoint %d " % FORMAT
HEADER = len(MAGIC) + 64 + 1
FIRST_LINE = re.compile(rb"(cesaro checkpoint (\d{1,9}) )([0-9a-f]{64})\n")
RARELY = 20.0  # a save is followed by at least so many times its own duration without one
ANEW = "Give another directory, or empty this one, to begin anew."
NAME = re.compile(r"(?P<slot>.+)\.(?P<number>\d{6,})\.checkpoint")


class DamagedError(CheckpointError):
    """A file that is not what was written."""


class FormatError(CheckpointError):
    """A file in the format of another version."""


def write(path: Path, state: Mapping[str, Any], about: Mapping[str, Any] | None = None) -> None:
    """The state (arrays and what JSON can say) into a file, at once or not at all."""
    arrays = {name: np.ascontiguousarray(value) for name, value in state.items() if isinstance(value, np.ndarray)}
    rest = {name: value for name, value in state.items() if name not in arrays}
    payload = save(arrays, metadata={"about": json.dumps(about or {}), "rest": json.dumps(rest)})
    with whole_file(path) as file:
        file.write(MAGIC + hashlib.sha256(MAGIC + payload).hexdigest().encode() + b"\n")
        file.write(payload)


def read(path: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """The state and what it is about; DamagedError if a single bit is not as it was written."""
    content = path.read_bytes()
    line = FIRST_LINE.match(content)
    payload = content[line.end() :] if line else b""
    covered = line[1] + payload if line and int(line[2]) > 1 else payload  # the first format did not sum its number
    if not line or line[3] != hashlib.sha256(covered).hexdigest().encode():
        raise DamagedError(f"{path} is damaged: its checksum does not match its {len(content)} bytes.")
    if int(line[2]) != FORMAT:
        raise FormatError(
            f"{path} is a checkpoint in format {int(line[2])}, of another cesaro; this is {__version__}, which goes on from "
            f"format {FORMAT}. Finish the run with the version that began it, or give another directory to begin anew."
        )
    try:
        size = int.from_bytes(payload[:8], "little")
        words = json.loads(payload[8 : 8 + size])["__metadata__"]
        arrays = {name: value.copy() for name, value in load(payload).items()}  # copies can be written to
        state, about = arrays | json.loads(words["rest"]), dict(json.loads(words["about"]))
    except (SafetensorError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise DamagedError(f"{path} cannot be read: {error}.") from error
    return state, about


class Checkpoint:
    """A directory of checkpoints of one run, in slots: one for each part of it that goes on by itself.

    `further` has a test (ours, theirs) for what a run may ask beyond an earlier one and still go on from it.
    """

    def __init__(
        self,
        directory: str | os.PathLike[str],
        about: Mapping[str, Any],
        seed: int = 0,
        further: Mapping[str, Callable[[Any, Any], bool]] | None = None,
    ) -> None:
        self.directory, self.further = Path(directory), further or {}
        if self.directory.exists() and not self.directory.is_dir():
            raise ValueError(f"checkpoint={str(directory)!r} is a file: give a directory, which need not exist yet.")
        self.directory.mkdir(parents=True, exist_ok=True)
        if not os.access(self.directory, os.W_OK | os.X_OK):
            raise PermissionError(errno.EACCES, "no checkpoint can be written here", str(directory))
        self.about, self.seed = json.loads(json.dumps(dict(about))), seed
        found = next((found for name in sorted(self._slots()) if (found := self.newest(name, quiet=True))), None)
        if found is not None:
            self._compare(found[1])
            self.seed = seed_of(found[0], f"the checkpoint in {str(self.directory)!r}", ANEW)

    def _slots(self) -> set[str]:
        return {match["slot"] for path in self.directory.iterdir() if (match := NAME.fullmatch(path.name))}

    def _compare(self, theirs: Mapping[str, Any]) -> None:
        """Refuse another run's checkpoint, and say how it differs."""
        names = [*self.about, *(name for name in theirs if name not in self.about)]
        told = [
            f"{name} is {self.about.get(name)!r} here and {theirs.get(name)!r} there"
            for name in names
            if self.about.get(name) != theirs.get(name)
            and not (name in self.further and self.further[name](self.about.get(name), theirs.get(name)))
        ]
        if told:
            raise ValueError(
                f"the checkpoint in {str(self.directory)!r} is another run's: {'; '.join(told)}. "
                "Give the same data and parameters to go on, or another directory (or empty this one) to begin anew."
            )

    def files(self, slot: str) -> list[Path]:
        """The slot's files, the newest first."""
        named = [(NAME.fullmatch(path.name), path) for path in self.directory.iterdir()]
        mine = [(int(match["number"]), path) for match, path in named if match and match["slot"] == slot]
        return [path for _, path in sorted(mine, reverse=True)]

    def newest(self, slot: str, quiet: bool = False) -> tuple[dict[str, Any], dict[str, Any]] | None:
        """The newest whole state of a slot and what it is about; damaged files are removed, with a warning."""
        found, damages = None, []
        for path in self.files(slot):
            try:
                found = read(path)
                break
            except FileNotFoundError:  # another fit of the same has replaced it
                continue
            except DamagedError as damage:
                damages.append((path, damage))
        if damages and not quiet:
            then = "The run begins anew." if found is None else "The run goes on from the one before."
            warnings.warn(" ".join([*(str(damage) for _, damage in damages), then]), RuntimeWarning, stacklevel=2)
            for path, _ in damages:
                path.unlink(missing_ok=True)  # so that it is not taken for the one to keep
        return found

    def slot(self, name: str) -> "FileSlot":
        """The slot of that name, with what it holds."""
        found = self.newest(name)
        if found is not None:
            self._compare(found[1])
        slot = FileSlot(self, name, None if found is None else found[0])
        slot.asks_more = found is not None and found[1] != self.about
        return slot


class CheckpointSlot(ABC):
    """Where one part of a run keeps its state; `saved` is what it found there."""

    saved: dict[str, Any] | None = None
    where: str = ""  # for messages
    asks_more = False  # the run goes further than the one that saved it

    @abstractmethod
    def offer(self, state: Callable[[], Mapping[str, Any] | None]) -> None:
        """Save the state, unless it is None, if that is due."""

    @abstractmethod
    def save(self, state: Mapping[str, Any] | None) -> None:
        """Write the state as the newest, unless it is None."""

    @abstractmethod
    def finish(self, state: Mapping[str, Any]) -> None:
        """Write what is left of the part when it is done."""

    @abstractmethod
    def subslot(self, name: str) -> "CheckpointSlot":
        """The slot of another stage of the same part."""


class FileSlot(CheckpointSlot):
    """The two last files of a name."""

    def __init__(self, checkpoint: Checkpoint, name: str, saved: dict[str, Any] | None):
        self.checkpoint, self.name, self.saved = checkpoint, name, saved
        self.where = str(checkpoint.directory / name)
        self.next, self.failed = -np.inf, False

    def offer(self, state: Callable[[], Mapping[str, Any] | None]) -> None:
        """The first time, and then so rarely that it costs 5 % of the time at most."""
        began = time.perf_counter()
        if began >= self.next:
            self.save(state())
            ended = time.perf_counter()
            self.next = ended + RARELY * (ended - began)

    def save(self, state: Mapping[str, Any] | None) -> None:
        """The one before stays, older ones go. If the disk is full or gone the fit goes on: a warning, once."""
        if state is None:
            return
        try:
            self._save(state)
        except OSError as error:
            if not self.failed:
                words = (
                    f"the checkpoint cannot be written: {error}. The fit goes on; the last one that was written stays."
                )
                warnings.warn(words, RuntimeWarning, stacklevel=2)
            self.failed = True

    def _save(self, state: Mapping[str, Any]) -> None:
        files, point = self.checkpoint.files(self.name), self.checkpoint
        number = int(NAME.fullmatch(files[0].name)["number"]) + 1 if files else 1  # type: ignore[index]
        path = point.directory / f"{self.name}.{number:06d}.checkpoint"
        write(path, {**state, "seed": point.seed}, about=point.about)
        parts = point.directory.glob(f".{self.name}.*.part")
        killed = [path for path in parts if abandoned(path, path.name.split(".")[-3])]  # in the middle of a write
        for path in (*files[1:], *killed):
            path.unlink(missing_ok=True)

    def finish(self, state: Mapping[str, Any]) -> None:
        """Twice: both files say the same, and the states before are gone."""
        self.save(state)
        self.save(state)
        if self.failed:
            return
        for path in self.checkpoint.directory.glob(f"{self.name}-*.checkpoint"):
            path.unlink(missing_ok=True)

    def subslot(self, name: str) -> "FileSlot":
        return self.checkpoint.slot(f"{self.name}-{name}")


class NullSlot(CheckpointSlot):
    """Keeps nothing: the slot of a run without a checkpoint."""

    def offer(self, state: Callable[[], Mapping[str, Any] | None]) -> None: ...

    def save(self, state: Mapping[str, Any] | None) -> None: ...

    def finish(self, state: Mapping[str, Any]) -> None: ...

    def subslot(self, name: str) -> "NullSlot":
        return self


NULL_SLOT = NullSlot()
