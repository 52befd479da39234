"""Figures of a bench: from made-up results over several datasets, and from a small results file."""

from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure

from benches import DATASETS, MadeUp, made_up_results, result, small_results
from s2fs.baselines import BASELINES
from s2fs.cli import main
from s2fs.plotting.colours import assign_inks
from s2fs_bench import (
    PAPER_DATASETS,
    Ledger,
    build_tables,
    iter_results,
    open_results,
    write_figures,
)
from s2fs_bench.figures import curve_lines, missing_note

PAPER = Path(__file__).parents[1] / "results" / "paper.npz"


@pytest.fixture(scope="module")
def draw(tmp_path_factory):
    """The function that draws results; the figures by the names of their files."""

    def drawn(found, **options):
        figures, save = [], Figure.savefig

        def kept(figure, *arguments, **options):
            figures.append(figure)
            save(figure, *arguments, **options)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(Figure, "savefig", kept)
            paths = write_figures(MadeUp(found), tmp_path_factory.mktemp("figures"), **options)
        return {path.stem: figure for path, figure in zip(paths, figures, strict=True)}

    return drawn


@pytest.fixture(scope="module")
def made_up(draw):
    """The figures of made-up results."""
    return draw(made_up_results())


def test_draws_every_family(made_up):
    assert list(made_up) == [
        "distance-and-direction",
        "curves-knn",
        "sensitivity-knn",
        "variants-knn",
        "critical-difference-knn-max",
        "critical-difference-knn-ave",
    ]


def curves(figure):
    """For each dataset the curve of each algorithm."""
    return {
        ax.get_title().partition(": α")[0]: {
            str(line.get_label()): line.get_ydata() for line in ax.lines
        }
        for ax in figure.axes
        if ax.lines
    }


def test_honest_curves_are_in_colour_and_the_tuned_one_is_dashed(made_up):
    (table,) = (t for t in build_tables(made_up_results()) if t.statistic == "ave")
    panels = curves(made_up["curves-knn"])
    assert list(panels) == ["GLIOMA", "SRBCT", "ALL-AML-3", "Isolet"]
    tuned = "S²FS best weighting, chosen on the test results"
    assert np.allclose(panels["SRBCT"][tuned], [0.59, 0.69, 0.79])
    # The default weighting is the fifth of the grid.
    assert np.allclose(panels["SRBCT"]["S²FS α = β = 0.0316"], [0.55, 0.65, 0.75])
    for row, title in enumerate(table.datasets):
        assert len(panels[title]) == len(table.columns)
        for j, column in enumerate(table.columns):
            assert panels[title][column.label].mean() == pytest.approx(table.ours[row, j])
    for line in made_up["curves-knn"].axes[0].lines:
        is_grey = len(set(to_rgb(line.get_color()))) == 1
        assert is_grey == (line.get_label() == tuned)
        if line.get_label() == tuned:
            assert line.get_linestyle() == "--"
        is_thick = line.get_linewidth() > 1
        assert is_thick == (line.get_label() == "S²FS α = β = 0.0316")


def test_diagrams_show_what_competes(made_up):
    (ax,) = made_up["critical-difference-knn-ave"].axes
    assert any(text.get_text().startswith(" S²FS (") for text in ax.texts)
    assert "S²FS: α = β = 0.0316" in ax.get_title().splitlines()
    assert "best weighting" not in ax.get_title()


def test_the_reference_is_highlighted(tmp_path, draw):
    figures = draw(made_up_results(), reference="IPD", kinds=["critical-difference", "curves"])
    assert list(figures) == [
        "curves-knn", "critical-difference-knn-max", "critical-difference-knn-ave",
    ]  # fmt: skip
    bold = [t for t in figures["critical-difference-knn-ave"].axes[0].texts if is_bold(t)]
    assert [text.get_text()[:5] for text in bold] == [" IPD†"]
    thick = [x for x in figures["curves-knn"].axes[0].lines if x.get_linewidth() > 1]
    assert [line.get_label() for line in thick] == ["IPD†"]


def is_bold(text):
    return text.get_fontweight() == "bold"


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"kinds": ["curve"]}, "kinds has 'curve' .*did you mean 'curves'"),
        ({"formats": ["gif"]}, "formats has 'gif'.*svg, pdf, png"),
        ({"reference": "FMD"}, "reference is 'FMD'.*did you mean 'FDM'"),
        ({"kinds": ["sensitivity"]}, "allows none of the figures sensitivity"),
    ],
)
def test_what_cannot_be_drawn_is_said(given, message, tmp_path):
    found = [result("srbct", name, [0.5, 0.6, 0.7]) for name in ("FDM", "IPD")]
    with pytest.raises(ValueError, match=message):
        write_figures(MadeUp(found), tmp_path, **given)


def test_own_selectors_get_no_figures_of_the_papers(draw):
    found = [result(d, name, [0.5, 0.6, 0.7]) for name in ("FDM", "IPD") for d in DATASETS]
    assert "distance-and-direction" not in draw(found)


def test_seeds_are_averaged_before_the_best_pair_is_taken(draw):
    found = [
        result("srbct", "S2FS", [0.9, 0.9, 0.9], (0.01, 0.01)),
        result("srbct", "S2FS", [0.5, 0.5, 0.5], (0.01, 0.01), seed=1),
        result("srbct", "S2FS", [0.8, 0.8, 0.8], (0.1, 0.1)),
        result("srbct", "S2FS", [0.7, 0.7, 0.7], (0.1, 0.1), seed=1),
    ]
    (drawn,) = curves(draw(found)["curves-knn"])["SRBCT"].values()
    assert np.allclose(drawn, 0.75)


@pytest.mark.parametrize("name", ["FDM", "SFSS", "IPD", "FSNMER"])
def test_reconstructed_algorithms_are_called_so(made_up, name):
    status = BASELINES[name].status
    signs = {"partly reconstructed": "‡", "reconstructed": "†", "stand-in": "§"}
    sign = signs.get(status, "")
    drawn = made_up
    legend = drawn["curves-knn"].legends[0]
    (ax,) = drawn["critical-difference-knn-ave"].axes
    for note in (legend.get_title().get_text(), ax.get_title()):
        assert (f"{sign} {status}" in note) == bool(sign)
    assert f"{name}{sign}" in [text.get_text() for text in legend.get_texts()]
    assert any(text.get_text().startswith(f" {name}{sign} (") for text in ax.texts)


def test_leaky_results_are_called_so(draw):
    found = [
        result(dataset, name, [0.5, 0.6, 0.7 + bonus], protocol="before")
        for dataset in DATASETS
        for name, bonus in (("S2FS", 0.1), ("FDM", 0))
    ]
    drawn = draw(found)
    assert "leaky" in drawn["curves-knn"].legends[0].get_title().get_text()
    assert "leaky" in drawn["critical-difference-knn-max"].axes[0].get_title()


def test_maps_hold_the_average_of_each_pair(made_up):
    figure = made_up["sensitivity-knn"]
    ax = next(ax for ax in figure.axes if ax.get_title() == "GLIOMA")
    expected = [[0.6 + (3 * i + j) / 100 for j in range(3)] for i in range(3)]
    np.testing.assert_allclose(ax.images[0].get_array(), expected)
    scales = {image.get_clim() for other in figure.axes for image in other.images}
    assert len(scales) == 1  # so that the panels can be compared
    assert "Star: the best weighting, chosen on the test results" in figure.get_supxlabel()
    (region,) = ax.patches
    assert (region.get_width(), region.get_height()) == (2, 2)


def test_variants_show_every_weighting_of_a_dataset(made_up):
    figure = made_up["variants-knn"]
    ax = next(ax for ax in figure.axes if ax.get_title() == "GLIOMA")
    points = [line.get_ydata() for line in ax.lines if not line.get_gid()]
    medians = [line.get_ydata()[0] for line in ax.lines if line.get_gid()]
    assert len(points) == len(medians) == 4
    np.testing.assert_allclose(points[0], 0.6 + np.arange(9) / 100)  # the grid of S²FS, sorted
    np.testing.assert_allclose(medians, [np.median(column) for column in points])
    assert "S²FS 9" in figure.get_supxlabel()


def test_curves_name_the_best_weights_and_what_is_missing(made_up):
    figure = made_up["curves-knn"]
    titles = [ax.get_title() for ax in figure.axes]
    assert any(title == "GLIOMA: α = 0.1, β = 0.1" for title in titles)
    assert "α and β of the best average" in figure.legends[0].get_title().get_text()
    assert "no results" not in figure.legends[0].get_title().get_text()  # most are missing


def test_missing_datasets_of_the_paper_are_told():
    group = [result(name, "S2FS", [0.5, 0.6, 0.7]) for name in PAPER_DATASETS if name != "lung"]
    assert missing_note(group) == "no results for Lung"
    assert missing_note(group[:3]) == ""


def test_maps_name_missing_datasets_as_the_paper_does(draw):
    weights = [(a, b) for a in (0.01, 0.1) for b in (0.01, 0.1)]
    there = [name for name in PAPER_DATASETS if name != "lung"]
    found = [result(d, "S2FS", [0.5, 0.6, 0.7], pair) for d in there for pair in weights]
    figure = draw(found, kinds=["sensitivity"], formats=["svg"])["sensitivity-knn"]
    assert figure.get_supxlabel().endswith("recommends. No results for Lung.")


def test_the_command_draws_results_in_three_formats(tmp_path):
    results = small_results(tmp_path)
    out = tmp_path / "figures"
    done = CliRunner().invoke(main, ["figures", str(results), "--out", str(out)])
    assert done.exit_code == 0, done.output
    stems = ("curves-knn", "distance-and-direction")
    expected = {f"{stem}.{suffix}" for stem in stems for suffix in ("svg", "pdf", "png")}
    assert {path.name for path in out.iterdir()} == expected
    assert sorted(done.output.split()) == sorted(str(path) for path in out.iterdir())
    assert all(path.stat().st_size > 1000 for path in out.iterdir())


def test_an_empty_results_file_is_refused(tmp_path):
    with (
        Ledger(tmp_path / "empty.sqlite", create=True) as ledger,
        pytest.raises(ValueError, match="no complete cross-validation yet"),
    ):
        write_figures(ledger, tmp_path)


def test_pictures_show_their_pixels_where_the_data_are_at_hand(paper_data, draw):
    paper_data("yale")
    found = [result("yale", "S2FS", [0.5, 0.6, 0.7])]
    faces = draw(found)["pixels-yale"]
    assert faces.get_suptitle().endswith("on all samples, α = 0.0316, β = 0.0316, z-scores")
    titles = [ax.get_title() for ax in faces.axes]
    assert titles[:5] == ["1: 10", "1: 20", "1: 50", "1: 100", "1: 150"]
    assert titles[5:] == [f"{subject}: 150" for subject in range(2, 16)]


def test_no_two_lines_of_the_papers_curves_look_alike():
    with open_results(PAPER) as archive:
        table = build_tables(list(iter_results(archive)))[0]
    names = list(curve_lines(table))
    assert len(names) == 11  # S²FS by how its weights were set, and eight baselines
    assert len(set(assign_inks(names).values())) == len(names)
