"""The files in dist/: small, of this version, and the wheel works in an environment that has nothing else (`make dist`)."""

import json
import os
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

from test_code_blocks import ROOT, blocks

LARGEST = 2_000_000  # bytes
VERSION = {}
exec((ROOT / "src" / "cesaro" / "version.py").read_text(encoding="utf-8"), VERSION)


def main(folder: Path) -> None:
    version = VERSION["__version__"]
    wheel, source = folder / f"cesaro-{version}-py3-none-any.whl", folder / f"cesaro-{version}.tar.gz"
    for file in (wheel, source):
        size = file.stat().st_size
        assert size < LARGEST, f"{file} has {size:,} bytes"
        print(f"{file.name}: {size:,} bytes")
    with tempfile.TemporaryDirectory() as empty:
        run_wheel(wheel, Path(empty), version)
    print("the wheel fits a9a and runs the code of the README")


def run_wheel(wheel: Path, empty: Path, version: str) -> None:
    """Install the wheel into an empty environment, run the command and the README's code there."""
    venv.create(empty / "venv", with_pip=True)
    scripts = empty / "venv" / ("Scripts" if os.name == "nt" else "bin")
    python = str(scripts / "python")
    clean = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    install = [
        python,
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
        "--no-compile",
        "-c",
        str(ROOT / "constraints.txt"),
    ]

    def run(*words: str) -> str:
        done = subprocess.run(words, cwd=empty, env=clean, stdout=subprocess.PIPE, encoding="utf-8", check=True)
        return done.stdout

    run(*install, str(wheel.resolve()))
    assert run(str(scripts / "cesaro"), "--version").strip() == f"cesaro {version}"
    fitted = json.loads(run(str(scripts / "cesaro"), "fit", "a9a", "--json"))
    assert fitted["converged"]
    assert fitted["test_accuracy"] > 0.84
    code = "\n".join(block.code for block in blocks((ROOT / "README.md").read_text(encoding="utf-8")))
    assert "certified" in run(python, "-c", code)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
