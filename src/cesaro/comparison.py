"""compare(): several methods on one problem, side by side."""

import copy
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from scipy.optimize import OptimizeResult

from cesaro.methods import Method
from cesaro.minimization import minimize

FIVE = ("gda", "sc-pda", "pegasos", "pa-psg-sc", "sc-rda")  # the paper's first experiment
CONVEX = ("psg", "da", "pda", "pa-psg")


@dataclass(frozen=True)
class Comparison:
    """What `compare` found: results by name, in the order in which they were asked for.

    Parameters
    ----------
    results : dict of str to OptimizeResult
        The runs, as `minimize` returned them.
    """

    results: dict[str, OptimizeResult]

    def __iter__(self) -> Iterator[str]:
        return iter(self.results)

    def __len__(self) -> int:
        return len(self.results)

    def __getitem__(self, name: str) -> OptimizeResult:
        return self.results[name]

    @property
    def lower_bound(self) -> float:
        """The best lower bound that any of the runs has proved: it holds for all of them."""
        return max(result.lower_bound for result in self.results.values())

    def table(self) -> str:
        """The results as a text table.

        Returns
        -------
        str
            For each run its value, how far from the minimum that can be by the best lower bound of all, its own duality gap,
            its theorem's bound, steps and seconds.
        """
        rows: list[tuple[str, ...]] = [
            ("method", "value", "above minimum by <=", "own gap", "theorem", "steps", "seconds")
        ]
        for name, r in self.results.items():
            proofs = ("-" if x == math.inf else f"{x:.2e}" for x in (r.fun - self.lower_bound, r.gap, r.bound))
            rows.append((name, f"{r.fun:.9g}", *proofs, f"{r.nit}", f"{r.trace.elapsed:.3f}"))
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = [
            "  ".join(
                cell.rjust(w) if i else cell.ljust(w) for i, (cell, w) in enumerate(zip(row, widths, strict=True))
            )
            for row in rows
        ]
        return "\n".join([lines[0], "-" * len(lines[0]), *lines[1:]])

    __str__ = table

    def plot(self, ax: Any = None) -> Any:
        """Draw value less the best lower bound against iterations, both logarithmic.

        Where nothing is proved, the value itself.

        Parameters
        ----------
        ax : matplotlib axes or None
            Where to draw; None makes a new figure.

        Returns
        -------
        matplotlib axes
            With one line for each run.

        Raises
        ------
        ImportError
            If `ax` is None and matplotlib is not installed.
        """
        if ax is None:
            try:
                import matplotlib.pyplot as plt
            except ImportError as error:
                raise ImportError("plot() needs matplotlib: pip install cesaro[report].") from error
            ax = plt.subplots(figsize=(6.4, 4.2), layout="constrained")[1]
        proved = math.isfinite(self.lower_bound)
        for name, result in self.results.items():
            above = result.trace.value - (self.lower_bound if proved else 0.0)
            ax.plot(result.trace.iteration + 1, above, label=name, linewidth=1.6)
        ax.set(xscale="log", xlabel="subgradients taken", ylabel="value - best lower bound" if proved else "value")
        if proved and any((result.trace.value > self.lower_bound).any() for result in self.results.values()):
            ax.set_yscale("log")
        ax.grid(True, which="major", alpha=0.25)
        ax.spines[["top", "right"]].set_visible(False)
        ax.legend(frameon=False)
        return ax


def compare(
    fun: Any,
    x0: Any,
    methods: Sequence[str | Method] | Mapping[str, str | Method | Mapping[str, Any]] | None = None,
    **options: Any,
) -> Comparison:
    """Run several methods on one problem.

    Parameters
    ----------
    fun, x0 : as in `minimize`
        The problem and the start.
    methods : sequence or dict of str or Method, or None
        A dict maps the names of the runs to methods, or to arguments of `minimize` that are this run's own, such as
        {"gda, 1": {"method": "gda", "weights": Uniform()}}; what they do not set is in `options`. None: the five of the
        paper's first experiment where mu is given, else four methods for merely convex problems.
    **options : dict
        Further arguments of `minimize`. With `rng` every method draws the same random numbers.

    Returns
    -------
    Comparison
        The results by name.

    Raises
    ------
    TypeError
        If a name of `methods` is not a text, or `method` is given beside a list.

    Examples
    --------
    >>> import numpy as np, cesaro
    >>> comparison = cesaro.compare(lambda w: (abs(w[0]) + w[0]**2, np.sign(w) + 2 * w), [3.0], mu=2.0, max_iter=50)
    >>> sorted(comparison.results)
    ['gda', 'pa-psg-sc', 'pegasos', 'sc-pda', 'sc-rda']
    """
    if methods is None:
        methods = FIVE if options.get("mu") else CONVEX
    if not isinstance(methods, Mapping):
        if "method" in options:
            raise TypeError(
                "compare takes a list of methods: method= is the default of a dict of runs, and this is none."
            )
        methods = _named([methods] if isinstance(methods, str | Method) else methods)
    results: dict[str, OptimizeResult] = {}
    for name, given in methods.items():
        if not isinstance(name, str):
            raise TypeError(
                f"methods maps names to methods: got {name!r} as a name. Give a text, such as {str(name)!r}."
            )
        own = dict(given) if isinstance(given, Mapping) else {"method": given}
        results[name] = minimize(fun, x0, **_own_rng(options | own))
    return Comparison(results)


def _named(methods: Sequence[str | Method]) -> dict[str, str | Method]:
    """Methods by name; one that comes again has a prime."""
    named: dict[str, str | Method] = {}
    for method in methods:
        name = method if isinstance(method, str) else repr(method)
        while name in named:
            name += "'"
        named[name] = method
    return named


def _own_rng(options: dict[str, Any]) -> dict[str, Any]:
    """Every method draws the same random numbers, whatever came before it."""
    return options | {"rng": copy.deepcopy(options.get("rng"))}
