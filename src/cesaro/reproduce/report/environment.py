"""What the numbers of a report may depend on: machine, system, versions."""

import os
import platform
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path

PACKAGES = ("cesaro", "numpy", "scipy", "numba", "scikit-learn", "torch", "plotly")


def environment() -> dict[str, str]:
    """Names and versions, in the order in which the report lists them."""
    known = {
        "written": datetime.now(UTC).strftime("%d %B %Y, %H:%M UTC"),
        "processor": processor(),
        "threads": f"{len(os.sched_getaffinity(0)) if hasattr(os, 'sched_getaffinity') else os.cpu_count()} available",
        "system": f"{platform.system()} {platform.release()}",
        "Python": platform.python_version(),
    }
    for package in PACKAGES:
        try:
            known[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            known[package] = "not installed"
    return known


def processor() -> str:
    """The name of the processor, where the system tells it."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    names = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()
