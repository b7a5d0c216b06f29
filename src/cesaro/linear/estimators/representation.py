"""How a fitted model shows itself in a notebook: scikit-learn's diagram, and below it what has been proved."""

from html import escape
from typing import Any

import numpy as np

STYLE = "font-family: monospace; font-size: 0.9em; border-left: 4px solid {}; padding: 0.3em 0.7em; margin-top: 0.3em"
GREEN, AMBER, GREY = "#009E73", "#E69F00", "#8b95a1"


class ShowsItsProof:
    """The HTML representation of an estimator, with its status once it is fitted."""

    def _repr_mimebundle_(self, **options: Any) -> dict[str, str]:
        bundle: dict[str, str] = super()._repr_mimebundle_(**options)  # type: ignore[misc]
        if "text/html" in bundle:
            bundle["text/html"] += proof_html(self)
        return bundle

    @property
    def _repr_html_(self) -> Any:
        diagram = super()._repr_html_  # type: ignore[misc]
        return lambda: diagram() + proof_html(self)


def proof_html(model: Any) -> str:
    """The status of a model as a line of HTML; nothing if it is not fitted."""
    if "relative_gap_" not in vars(model):
        return ""
    colour, words = proof(model)
    return f'<div class="cesaro-proof" style="{STYLE.format(colour)}">{escape(words)}</div>'


def proof(model: Any) -> tuple[str, str]:
    """A colour, and what is known about a fitted model, in a sentence or two."""
    gap, tol = float(np.max(model.relative_gap_)), model.tol
    models = np.size(model.relative_gap_)
    whose = "relative duality gap" if models == 1 else f"largest relative duality gap of {models} models"
    seconds = float(np.max(model.history_["time"])) if len(model.history_.get("time", ())) else 0.0
    effort = f"{model.n_iter_} epochs, {seconds:.2g} s"
    if not np.isfinite(gap):
        return GREY, f"No certificate: partial_fit sees each row once. {effort}."
    if tol and gap > tol:
        return AMBER, f"Not yet certified to tol = {tol:g}: {whose} {gap:.1e}. {effort}."
    values = ""
    if models == 1:
        values = f" Objective {model.objective_:.6g}, no model below {model.lower_bound_:.6g}."
    return GREEN, f"Certified: {whose} {gap:.1e}{f' <= tol = {tol:g}' if tol else ''}.{values} {effort}."
