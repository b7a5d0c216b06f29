"""How the pictures of the gallery look; sphinx-gallery calls `reset` before each script."""

from pathlib import Path
from typing import Any


def reset(configuration: dict[str, Any], name: str) -> None:
    import matplotlib.pyplot as plt

    plt.rcdefaults()
    plt.style.use(Path(__file__).parent / "gallery.mplstyle")
