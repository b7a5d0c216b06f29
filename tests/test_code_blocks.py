"""The code in the README and in the guides runs, and prints what stands below it.

The Python blocks of a page share their names, as a reader would run them. A text block below one is its output; the digits of
its numbers may differ, for they depend on the machine. `python tests/test_code_blocks.py` writes the outputs into the pages.
"""

import contextlib
import io
import os
import re
import shlex
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

import pytest
from sklearn.datasets import load_iris

from cesaro.cli import main

ROOT = Path(__file__).parents[1]
ELSEWHERE = {"networks"}  # whose code needs a network to train: tests/optim/test_guide.py runs it
PAGES = [ROOT / "README.md", *(page for page in sorted((ROOT / "docs").glob("*.md")) if page.stem not in ELSEWHERE)]
FENCE = re.compile(r"^```([^\n`]*)\n(.*?)^```$", re.M | re.S)
WIDEST = 88  # characters of a line of code in the guides
NEEDED = {"scale": ["dask"], "export": ["polars", "skl2onnx", "skops"], "text": ["skops"]}


class Block(NamedTuple):
    """A block of Python, and the place of its output in the page, if it shows one."""

    code: str
    output: tuple[int, int] | None


def blocks(text: str) -> list[Block]:
    """The Python blocks of a page."""
    found = list(FENCE.finditer(text))
    pairs = []
    for k, block in enumerate(found):
        if block[1] == "python":
            after = found[k + 1] if k + 1 < len(found) else None
            shown = after is not None and after[1] == "text" and not text[block.end() : after.start()].strip()
            pairs.append(Block(block[2], after.span(2) if after is not None and shown else None))
    return pairs


def outputs(page: Path, text: str) -> list[str]:
    """What the blocks of a page print, run one after the other."""
    names: dict[str, object] = {"__name__": "__main__"}
    printed = []
    for block in blocks(text):
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            exec(compile(block.code, str(page), "exec"), names)
        printed.append(said.getvalue())
    return printed


def shape(text: str) -> list[str]:
    """The lines of a text with every number as 0: what may not differ."""
    return [re.sub(r"\d[\d.,]*(e[-+]?\d+)?", "0", line).strip() for line in text.strip().splitlines()]


def refresh(page: Path) -> None:
    """Write into a page what its blocks print here."""
    text = page.read_text(encoding="utf-8")
    for block, printed in reversed(list(zip(blocks(text), outputs(page, text), strict=True))):
        if block.output is not None:
            text = text[: block.output[0]] + printed.strip() + "\n" + text[block.output[1] :]
    page.write_text(text, encoding="utf-8", newline="\n")


WITH_CODE = [page for page in PAGES if blocks(page.read_text(encoding="utf-8"))]


def test_there_is_code_to_run():
    assert {"README", "start", "linear", "minimize", "text"} <= {page.stem for page in WITH_CODE}


def test_no_line_of_code_is_cut_on_a_page():
    long = {f"{page.name}: {line}" for page in WITH_CODE for block in blocks(page.read_text(encoding="utf-8"))
            for line in block.code.splitlines() if len(line) > WIDEST}  # fmt: skip
    assert long == set()


def commands(text: str) -> list[str]:
    """The commands of a page's console blocks."""
    found = [block[2] for block in FENCE.finditer(text) if block[1] == "console"]
    return [line.removeprefix("$ ") for block in found for line in block.splitlines() if line.startswith("$ cesaro")]


WITH_COMMANDS = [page for page in PAGES if commands(page.read_text(encoding="utf-8"))]


@pytest.mark.parametrize("page", WITH_COMMANDS, ids=lambda page: page.stem)
def test_the_commands_of_a_page_run(page, tmp_path, monkeypatch, capsys):
    pytest.importorskip("pyarrow")
    pytest.importorskip("matplotlib")
    flowers = load_iris()
    rows = [[*row, flowers.target_names[k]] for row, k in zip(flowers.data, flowers.target, strict=True)]
    lines = ["a,b,c,d,species", *(",".join(map(str, row)) for row in rows)]
    (tmp_path / "flowers.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    for line in commands(page.read_text(encoding="utf-8")):
        words = shlex.split(line)
        if "<" in words:
            monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(Path(words[-1]).read_bytes())))
            words = words[:-2]
        monkeypatch.setattr(sys, "argv", words)
        with pytest.raises(SystemExit) as ended:
            main()
        assert not ended.value.code, f"{line}: {capsys.readouterr().err}"


@pytest.mark.filterwarnings("ignore:Liblinear failed to converge")
@pytest.mark.parametrize("page", WITH_CODE, ids=lambda page: page.stem)
def test_the_code_of_a_page_runs_and_prints_what_it_says(page, monkeypatch, tmp_path):
    pytest.importorskip("matplotlib").use("agg")
    for needed in NEEDED.get(page.stem, []):
        pytest.importorskip(needed)
    monkeypatch.chdir(tmp_path)
    text = page.read_text(encoding="utf-8")
    for block, printed in zip(blocks(text), outputs(page, text), strict=True):
        if block.output is not None:
            assert shape(printed) == shape(text[slice(*block.output)])


if __name__ == "__main__":
    os.environ["MPLBACKEND"] = "agg"
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        for each in WITH_CODE:
            refresh(each)
