"""One colour per method, the same in every figure and in the report (after Okabe and Ito, safe for the colour-blind).

What follows a comma is a variant of a method and has its colour.
"""

COLOURS = {
    "GDA": "#0072B2",
    "SC-PDA": "#D55E00",
    "Pegasos": "#009E73",
    "PA-PSG": "#CC79A7",
    "SC-RDA": "#E69F00",
    "bound": "#333333",  # of a theorem
    "default solver": "#555555",  # of the linear models
    "SGD": "#8A8A00",
    "SWA": "#56B4E9",
}
OTHER = "#7B4FA6"
DARK_GROUND = "#1C1F25"  # the report's cards in its dark theme


def colour(method: str) -> str:
    return COLOURS.get(method, COLOURS.get(method.split(",")[0], OTHER))


def on_dark(method: str, contrast: float = 5.0) -> str:
    """The method's colour mixed with as much white as it needs to be readable on a dark ground."""
    channels = [int(colour(method)[i : i + 2], 16) for i in (1, 3, 5)]
    ground = luminance([int(DARK_GROUND[i : i + 2], 16) for i in (1, 3, 5)])
    while (luminance(channels) + 0.05) / (ground + 0.05) < contrast:
        channels = [c + (255 - c + 9) // 10 for c in channels]
    return "#" + "".join(f"{c:02X}" for c in channels)


def luminance(channels: list[int]) -> float:
    """Relative luminance as WCAG 2 defines it."""
    linear = [c / 3294.6 if c <= 10 else ((c / 255 + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
