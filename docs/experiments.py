"""Writes docs/experiments.md from the numbers in docs/figures, with a word on them: python docs/experiments.py"""

from pathlib import Path

from cesaro.reproduce.results import Figure, Series
from cesaro.reproduce.verdicts import HEADER, first_sentence, verdict_rows

HERE = Path(__file__).parent
NAMES = ("figure1", "figure2", "figure3", "theorems")
VERDICTS = {"reproduced": "Reproduced.", "partly": "Partly.", "not": "Not reproduced."}
COMMENTS = {  # by the first words of the claim
    "The convergence behavior of GDA": "As printed SC-PDA and PA-PSG lie upon each other, as they must: without a constraint "
    "they are one recursion, shifted by a step.",
    "SC-PDA, Pegasos and PA-PSG have almost": "Non-averaging has to be read as no average of the output: the points of SC-PDA "
    "and PA-PSG are averages, of the w_t, and oscillate all the same.",
    "The two algorithms no longer suffer": "A hundred epochs cannot settle this: the slopes of 1/t and log t / t differ by "
    "less than those of one method on two data sets. Where a logarithm can be seen it is shown below, under Corollary 1.",
    "Theorem 1": "On some of them it is attained.",
    "Theorem 2": "With Gamma~_k in the place of Gamma_k it holds, and the rate is the same ([corrections](paper.md)).",
    "Corollary 2": "It survives the correction of Theorem 2, which changes the constant only.",
    "Theorem 3": "It needs Gamma~_k, the expectation of |g_k|^2, and independent samples: reshuffled rows are not covered.",
    "Equation (13)": "The weights that do are in `cesaro.methods.PAPSGSC`.",
}


def main() -> None:
    (HERE / "experiments.md").write_text(text(), encoding="utf-8", newline="\n")


def text() -> str:
    figures = [
        Figure.load(HERE / "figures" / f"{name}.json") for name in NAMES if (HERE / "figures" / f"{name}.json").exists()
    ]
    verdicts = [claim.verdict for figure in figures for claim in figure.claims]
    counts = ", ".join(f"{verdicts.count(verdict)} {words}" for verdict, words in SUMMARY.items())
    parts = [INTRODUCTION.format(total=len(verdicts), counts=counts), verdict_table(figures)]
    if "figure3" not in {figure.name for figure in figures}:
        parts.append(NO_FIGURE_3)
    for figure in figures:
        parts += [f"## {figure.title}", f"![{figure.title}](figures/{figure.name}.png)", plain(figure.caption)]
        if figure.shortened:
            parts.append(f"Shortened: {'; '.join(figure.shortened)}.")
        if empty := [panel.title for panel in figure.panels if not panel.series]:
            parts.append(f"Not run: {'; '.join(empty)}.")
        parts.append(
            f"Numbers: [{figure.name}.json](figures/{figure.name}.json). Print: [PDF](figures/{figure.name}.pdf)."
        )
        if figure.name == "figure1":
            parts.append(gain(figure))
        for claim in figure.claims:
            comment = next((words for start, words in COMMENTS.items() if claim.paper.startswith(start)), "")
            parts += [
                f"**{plain(claim.paper)}**",
                plain(" ".join([VERDICTS[claim.verdict], claim.measured, comment]).rstrip()),
            ]
        if figure.table:
            parts.append(markdown(figure.table))
    return "\n\n".join(parts) + "\n"


SUMMARY = {"reproduced": "are reproduced", "partly": "in part", "not": "are not"}
INTRODUCTION = """# The paper's experiments and theorems, run again

`cesaro reproduce` writes these figures, their numbers and a page to explore them; with `--quick` it takes about a minute
(`pip install 'cesaro[report]'` for the drawings, `[torch]` for the networks, `[theorems]` for the worst cases).
This file is made from the numbers by `python docs/experiments.py`. Where a number can decide, the verdict is
computed from it; where print has to be read, the sentence says how. Of {total}
statements and sentences of the paper {counts}.
What the verdicts mean is [said with the errata](paper.md#errata-and-readings); here are [the proofs](proofs.md)."""
NO_FIGURE_3 = (
    "Figure 3 of the paper, VGG-16, is missing here: it needs a GPU. `cesaro reproduce figure3` runs it; without a GPU "
    "shortened, too short to judge the claims."
)


def verdict_table(figures: list[Figure]) -> str:
    """Every statement with its verdict, the first number it rests on, and the command; a figure that was not run says so."""
    made = {figure.name for figure in figures}
    missing = [Figure(name, name, "", (), shortened=("not run yet",)) for name in NAMES if name not in made]
    rows = [
        (statement, verdict, first_sentence(number), f"`{command}`")
        for statement, verdict, number, command in verdict_rows([*figures, *missing])
    ]
    return markdown((HEADER, *rows))


def gain(figure: Figure) -> str:
    """What the anchor is worth: f - f* as printed over f - f* with it, after the first epoch and at the end of the "
    "shorter run."""
    panels = {panel.title: {series.method: series for series in panel.series} for panel in figure.panels}
    words = []
    for name in dict.fromkeys(title.split(",")[0] for title in panels):
        printed, ours = (panels[f"{name}, {setting}"]["GDA"] for setting in ("as printed", "ours, with the anchor"))
        last = max(set(printed.x["epochs"]) & set(ours.x["epochs"]))
        words.append(f"{name} {ratio(printed, ours, 1.0)} and {ratio(printed, ours, last)} ({last:.0f} epochs)")
    return (
        f"What the anchor is worth, as f - f\\* of GDA as printed over that of our GDA, after one epoch and at the end: "
        f"{', '.join(words)}. Without it the first steps have the size 1/mu."
    )


def plain(words: str) -> str:
    """Stars that Markdown leaves alone."""
    return words.replace("*", "\\*")


def ratio(one: Series, other: Series, epoch: float) -> str:
    above, below = (series.mean[series.x["epochs"].index(epoch)] for series in (one, other))
    return f"{above / below:.3g}"


def markdown(table: tuple[tuple[str, ...], ...]) -> str:
    rows = ["| " + " | ".join(plain(cell).replace("|", r"\|") for cell in row) + " |" for row in table]
    return "\n".join([rows[0], "|" + "---|" * len(table[0]), *rows[1:]])


if __name__ == "__main__":
    main()
