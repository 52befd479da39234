"""Colours: one set for classes, another for selectors, each for white and for dark paper."""

from typing import NamedTuple

#: Class colours on white. For people with protanopia, deuteranopia or tritanopia, every two of the
#: first six differ by 20 or more (CIEDE2000): tests/plotting/test_colours.py computes it. Each has
#: a contrast of 3:1 or more with the paper.
CLASS_COLOURS = (
    "#033BC9",
    "#DE780F",
    "#13988C",
    "#600338",
    "#A675FC",
    "#525211",
    "#737373",
    "#C2457A",
    "#2B8FB3",
    "#8A6D3B",
)
#: The same classes on the dark paper of a page.
DARK_CLASS_COLOURS = (
    "#5E78FE",
    "#9B8F32",
    "#77E6BF",
    "#C03179",
    "#EEBDFF",
    "#D1E30C",
    "#A9A9A9",
    "#F08CB4",
    "#7CCBE6",
    "#CDB07A",
)
#: With more classes there is no colour for each: names tell them apart.
MOST_COLOURS = len(CLASS_COLOURS)
#: What has no class and no selector: points of more classes than there are colours.
NEUTRAL = "#767676"
#: What is marked in a figure: a threshold, a frame, the suggested number.
ACCENT = "#0B5CAD"


class Ink(NamedTuple):
    """The colour of a line on white and on dark paper."""

    light: str
    dark: str


#: Inks of selectors, darker than any class colour: a curve is never taken for a class. The first
#: ones belong to the selectors below, the others go to whoever comes.
INKS = (
    Ink("#13294B", "#A9C7F2"),
    Ink("#8F2D0B", "#F2A98C"),
    Ink("#47616E", "#9DB8C5"),
    Ink("#8A8F98", "#8A8F98"),
    Ink("#4B5A0A", "#C3D06B"),
    Ink("#5A2A6B", "#D3A6E3"),
    Ink("#0F5A50", "#7FCFC2"),
    Ink("#7A5518", "#DDBB7C"),
    Ink("#3D4190", "#B3B6F2"),
    Ink("#7D3C46", "#E6A7B0"),
    Ink("#2A6F86", "#86C7DB"),
    Ink("#55565A", "#B4B5BA"),
)
#: Whose ink is fixed on every page and in every figure.
_FIXED_INKS = {
    "PairCover": 0,
    "S²FS": 1,
    "S2FS": 1,
    "ANOVA F": 2,
    "AnovaF": 2,
    "random features": 3,
    "SFSS": 4,
    "FDM": 5,
    "FSNMER": 6,
    "IPD": 7,
    "MDP": 8,
    "N3Y": 9,
    "RDSI": 10,
    "FGZEFSR": 11,
    "MAFRFS": 2,
}


def assign_inks(names: list[str]) -> dict[str, int]:
    """The position in :data:`INKS` of each selector: fixed for known ones, distinct where possible.

    What stands behind a name, as in "S²FS, tuned" or "FDM (reconstructed)", changes nothing.
    """
    fixed = {name: _FIXED_INKS.get(name.split(",")[0].split(" (")[0]) for name in names}
    # The inks of our own selectors come last: a stranger must not look like a known baseline.
    for_strangers = [*range(4, len(INKS)), *range(4)]
    free = [i for i in for_strangers if i not in fixed.values()] or for_strangers
    inks = {}
    n_strangers = 0
    for name, ink in fixed.items():
        if ink is None:
            ink = free[n_strangers % len(free)]
            n_strangers += 1
        inks[name] = ink
    return inks


def css_variables(*, dark: bool) -> str:
    """The colours as variables of CSS, such as ``--class-0`` and ``--ink-0``."""
    classes = DARK_CLASS_COLOURS if dark else CLASS_COLOURS
    variables = [f"--class-{q}:{colour}" for q, colour in enumerate(classes)]
    variables += [f"--ink-{i}:{ink.dark if dark else ink.light}" for i, ink in enumerate(INKS)]
    return ";".join(variables)


def as_css_variable(text: str) -> str:
    """A style with its colours as variables, for which dark paper has values of its own."""
    for q, colour in enumerate(CLASS_COLOURS):
        text = text.replace(colour.lower(), f"var(--class-{q})")
    for i, ink in enumerate(INKS):
        text = text.replace(ink.light.lower(), f"var(--ink-{i})")
    return text.replace(ACCENT.lower(), "var(--accent)")
