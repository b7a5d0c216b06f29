"""Every numbered statement of the paper in one table: its verdict, the number it rests on, the command that computes it."""

from collections.abc import Sequence

from cesaro.reproduce.results import Figure

VERDICTS = {"reproduced": "reproduced", "partly": "partly", "not": "not reproduced"}
HEADER = ("statement", "verdict", "it rests on", "command")
NUMBERED = {"figure1": "Figure 1", "figure2": "Figure 2", "figure3": "Figure 3"}


def verdict_rows(figures: Sequence[Figure]) -> list[tuple[str, str, str, str]]:
    """A row for each claim, and one for each figure that was run too short to judge any."""
    rows = []
    for figure in figures:
        command = f"cesaro reproduce {figure.name}"
        label = NUMBERED.get(figure.name)
        if not figure.claims:
            why = "; ".join(figure.shortened) or "no run yet"
            rows.append((label or figure.title, "not judged", why, command))
        for claim in figure.claims:
            name, _, rest = claim.paper.partition(": ")
            statement = f"{label}: {claim.paper}" if label else f"{name}: {rest}"
            rows.append((statement, VERDICTS.get(claim.verdict, claim.verdict), claim.measured, command))
    return rows


def first_sentence(words: str) -> str:
    """What a table has room for."""
    return words.split(". ")[0].rstrip(".")


def verdict_text(rows: Sequence[tuple[str, str, str, str]], width: int = 100) -> str:
    """The rows as lines for a terminal, each cell cut to what fits."""
    lines = [f"{'statement':{width // 2}s}  {'verdict':14s}  {'command':25s}  it rests on"]
    for statement, found, number, command in rows:
        cut = statement if len(statement) <= width // 2 else f"{statement[: width // 2 - 3]}..."
        first = first_sentence(number)
        first = first if len(first) <= width else f"{first[: width - 3]}..."
        lines.append(f"{cut:{width // 2}s}  {found:14s}  {command:25s}  {first}")
    return "\n".join(lines)
