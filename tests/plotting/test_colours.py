"""Colours that differ for everybody: computed, not claimed."""

from itertools import combinations

import numpy as np
import pytest
from matplotlib.colors import to_rgb

from s2fs.plotting.colours import (
    CLASS_COLOURS,
    DARK_CLASS_COLOURS,
    INKS,
    as_css_variable,
    assign_inks,
    css_variables,
)

PAPERS = {"light": ("#ffffff", CLASS_COLOURS), "dark": ("#14181d", DARK_CLASS_COLOURS)}
#: Machado, Oliveira and Fernandes (2009), severity 1, for linear RGB.
DEFICIENCIES = {
    "none": np.eye(3),
    "protanopia": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "deuteranopia": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
    "tritanopia": [
        [1.255528, -0.076749, -0.178779],
        [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.303900],
    ],
}
TO_XYZ = np.array(
    [
        [0.4124564, 0.3575761, 0.1804375],
        [0.2126729, 0.7151522, 0.0721750],
        [0.0193339, 0.1191920, 0.9503041],
    ]
)


def linear(colour):
    return np.array([c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in colour])


def lab(colour, deficiency="none"):
    """CIELAB of a colour as somebody with this colour vision sees it."""
    rgb = np.clip(np.asarray(DEFICIENCIES[deficiency]) @ linear(to_rgb(colour)), 0, 1)
    ratio = TO_XYZ @ rgb / TO_XYZ.sum(axis=1)
    f = np.where(ratio > 216 / 24389, np.cbrt(ratio), (24389 / 27 * ratio + 16) / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


def delta_e(one, other):
    """CIEDE2000, as in Sharma, Wu and Dalal (2005)."""
    chroma = (np.hypot(*one[1:]) + np.hypot(*other[1:])) / 2
    g = 0.5 * (1 - np.sqrt(chroma**7 / (chroma**7 + 25.0**7)))
    (l1, a1, b1), (l2, a2, b2) = one, other
    a1, a2 = (1 + g) * a1, (1 + g) * a2
    c1, c2 = np.hypot(a1, b1), np.hypot(a2, b2)
    h1, h2 = np.degrees(np.arctan2([b1, b2], [a1, a2])) % 360
    turn = (h2 - h1 + 180) % 360 - 180 if c1 * c2 else 0.0
    hue = 2 * np.sqrt(c1 * c2) * np.sin(np.radians(turn / 2))
    mean_l, mean_c = (l1 + l2) / 2, (c1 + c2) / 2
    mean_h = (h1 + h2) / 2
    if abs(h1 - h2) > 180:
        mean_h += 180 if h1 + h2 < 360 else -180
    if c1 * c2 == 0:
        mean_h = h1 + h2
    t = (
        1
        - 0.17 * np.cos(np.radians(mean_h - 30))
        + 0.24 * np.cos(np.radians(2 * mean_h))
        + 0.32 * np.cos(np.radians(3 * mean_h + 6))
        - 0.20 * np.cos(np.radians(4 * mean_h - 63))
    )
    s_l = 1 + 0.015 * (mean_l - 50) ** 2 / np.sqrt(20 + (mean_l - 50) ** 2)
    s_c, s_h = 1 + 0.045 * mean_c, 1 + 0.015 * mean_c * t
    turn_of_blue = 60 * np.exp(-(((mean_h - 275) / 25) ** 2))
    r = -2 * np.sqrt(mean_c**7 / (mean_c**7 + 25.0**7)) * np.sin(np.radians(turn_of_blue))
    parts = (l2 - l1) / s_l, (c2 - c1) / s_c, hue / s_h
    return np.sqrt(sum(part**2 for part in parts) + r * parts[1] * parts[2])


@pytest.mark.parametrize(
    ("one", "other", "published"),
    [
        ((50, 2.6772, -79.7751), (50, 0, -82.7485), 2.0425),
        ((50, 2.5, 0), (73, 25, -18), 27.1492),
        ((50, 2.5, 0), (61, -5, 29), 22.8977),
        ((60.2574, -34.0099, 36.2677), (60.4626, -34.1751, 39.4387), 1.2644),
        ((22.7233, 20.0904, -46.694), (23.0331, 14.973, -42.5619), 2.0373),
    ],
)
def test_the_measure_itself_is_that_of_sharma(one, other, published):
    assert delta_e(np.array(one), np.array(other)) == pytest.approx(published, abs=1e-4)


@pytest.mark.parametrize("paper", PAPERS)
@pytest.mark.parametrize("deficiency", DEFICIENCIES)
def test_the_first_six_classes_differ_for_every_colour_vision(paper, deficiency):
    for one, other in combinations(PAPERS[paper][1][:6], 2):
        seen = delta_e(lab(one, deficiency), lab(other, deficiency))
        assert seen >= 20, (one, other)


def contrast(one, other):
    light, dark = sorted((TO_XYZ[1] @ linear(to_rgb(c)) for c in (one, other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("paper", PAPERS)
def test_classes_and_selectors_are_seen_on_their_paper(paper):
    background, classes = PAPERS[paper]
    for colour in (*classes, *(getattr(ink, paper) for ink in INKS)):
        assert contrast(colour, background) >= 3, colour


@pytest.mark.parametrize("paper", PAPERS)
def test_no_curve_is_taken_for_a_class(paper):
    """The inks of the selectors that every page shows differ from all class colours."""
    for ink in INKS[:4]:
        for colour in PAPERS[paper][1][:6]:
            assert delta_e(lab(getattr(ink, paper)), lab(colour)) >= 10, (ink, colour)


def test_a_selector_keeps_its_ink_wherever_it_stands():
    alone = assign_inks(["S²FS"])
    among = assign_inks(["mine", "ANOVA F", "PairCover", "S²FS, tuned", "FDM (reconstructed)"])
    assert among["S²FS, tuned"] == alone["S²FS"]
    assert len(set(among.values())) == 5
    assert assign_inks(["PairCover", "other"])["PairCover"] == among["PairCover"]


def test_figures_take_the_colours_of_the_page():
    style = f"fill: {CLASS_COLOURS[2].lower()}; stroke: {INKS[1].light.lower()}"
    assert as_css_variable(style) == "fill: var(--class-2); stroke: var(--ink-1)"
    for dark in (False, True):
        variables = css_variables(dark=dark)
        assert f"--class-2:{(DARK_CLASS_COLOURS if dark else CLASS_COLOURS)[2]}" in variables
