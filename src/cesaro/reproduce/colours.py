"""One colour per method, the same in every figure and in the report (Okabe and Ito, safe for the colour-blind)."""

COLOURS = {
    "GDA": "#0072B2",
    "SC-PDA": "#D55E00",
    "Pegasos": "#009E73",
    "PA-PSG": "#CC79A7",
    "SC-RDA": "#E69F00",
    "anchored": "#555555",
    "SGD": "#009E73",
    "SWA": "#CC79A7",
}
OTHER = "#56B4E9"


def colour(method: str) -> str:
    return COLOURS.get(method, OTHER)
