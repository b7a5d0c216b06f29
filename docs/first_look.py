"""Draws docs/first_look.png: python docs/first_look.py"""

from pathlib import Path

import matplotlib

matplotlib.use("Agg")
from cesaro.reproduce.first_look import run

comparison = run(max_iter=10_000)
ax = comparison.plot()
ax.set_title("Proved distance to the minimum, support vector machine, 400 x 20", fontsize=10, loc="left")
ax.figure.savefig(Path(__file__).with_suffix(".png"), dpi=130)
