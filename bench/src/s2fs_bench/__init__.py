"""The laboratory: plans, results files that survive being killed, tables, statistics, figures."""

from typing import TYPE_CHECKING

from s2fs._utils.lazy import lazy_names
from s2fs_bench.version import __version__ as __version__

if TYPE_CHECKING:
    from s2fs_bench.archive import Archive, open_results, write_archive
    from s2fs_bench.curve_plots import plot_curve_panels, plot_curves
    from s2fs_bench.exchange import write_folds
    from s2fs_bench.figures import write_figures
    from s2fs_bench.joined import Joined, without_stored
    from s2fs_bench.learners.registry import BENCH_LEARNERS, LEARNER_TITLES, PAPER_LEARNERS
    from s2fs_bench.ledger import Ledger
    from s2fs_bench.membership_plot import plot_memberships
    from s2fs_bench.paper.datasets import (
        PAPER_DATASETS,
        DataFile,
        DatasetInfo,
        dataset_info,
        find_dataset,
        load_dataset,
    )
    from s2fs_bench.paper.download import fetch_dataset
    from s2fs_bench.paper.published import published_results
    from s2fs_bench.path_plot import plot_path
    from s2fs_bench.plan import PLANS, Plan, SelectorSpec, load_plan, plan_for_file, plan_text
    from s2fs_bench.plots import (
        plot_critical_difference,
        plot_sensitivity,
        plot_spread,
        plot_variants,
    )
    from s2fs_bench.ranks import RankComparison, best_by_learner, compare_ranks
    from s2fs_bench.render import write_tables
    from s2fs_bench.report import bench_report
    from s2fs_bench.results import Result, export_curves, export_rows, iter_results
    from s2fs_bench.run import Run
    from s2fs_bench.runner import Summary, run_plan
    from s2fs_bench.statistics import (
        FriedmanResult,
        NemenyiResult,
        PairwiseComparison,
        average_ranks,
        critical_difference,
        friedman_test,
        nemenyi_test,
        wilcoxon_holm,
    )
    from s2fs_bench.tables import Column, Table, build_tables
    from s2fs_bench.times import Times, selection_times

__all__ = [
    "BENCH_LEARNERS",
    "LEARNER_TITLES",
    "PAPER_DATASETS",
    "PAPER_LEARNERS",
    "PLANS",
    "Archive",
    "Column",
    "DataFile",
    "DatasetInfo",
    "FriedmanResult",
    "Joined",
    "Ledger",
    "NemenyiResult",
    "PairwiseComparison",
    "Plan",
    "RankComparison",
    "Result",
    "Run",
    "SelectorSpec",
    "Summary",
    "Table",
    "Times",
    "average_ranks",
    "bench_report",
    "best_by_learner",
    "build_tables",
    "compare_ranks",
    "critical_difference",
    "dataset_info",
    "export_curves",
    "export_rows",
    "fetch_dataset",
    "find_dataset",
    "friedman_test",
    "iter_results",
    "load_dataset",
    "load_plan",
    "nemenyi_test",
    "open_results",
    "plan_for_file",
    "plan_text",
    "plot_critical_difference",
    "plot_curve_panels",
    "plot_curves",
    "plot_memberships",
    "plot_path",
    "plot_sensitivity",
    "plot_spread",
    "plot_variants",
    "published_results",
    "run_plan",
    "selection_times",
    "wilcoxon_holm",
    "without_stored",
    "write_archive",
    "write_figures",
    "write_folds",
    "write_tables",
]

# Loaded when first used: --help needs none of the packages behind these names.
__getattr__ = lazy_names(
    __name__,
    {
        "Archive": "s2fs_bench.archive",
        "BENCH_LEARNERS": "s2fs_bench.learners.registry",
        "Column": "s2fs_bench.tables",
        "DataFile": "s2fs_bench.paper.datasets",
        "DatasetInfo": "s2fs_bench.paper.datasets",
        "FriedmanResult": "s2fs_bench.statistics",
        "Joined": "s2fs_bench.joined",
        "LEARNER_TITLES": "s2fs_bench.learners.registry",
        "Ledger": "s2fs_bench.ledger",
        "NemenyiResult": "s2fs_bench.statistics",
        "PAPER_DATASETS": "s2fs_bench.paper.datasets",
        "PAPER_LEARNERS": "s2fs_bench.learners.registry",
        "PLANS": "s2fs_bench.plan",
        "PairwiseComparison": "s2fs_bench.statistics",
        "Plan": "s2fs_bench.plan",
        "RankComparison": "s2fs_bench.ranks",
        "Result": "s2fs_bench.results",
        "Run": "s2fs_bench.run",
        "SelectorSpec": "s2fs_bench.plan",
        "Summary": "s2fs_bench.runner",
        "Table": "s2fs_bench.tables",
        "Times": "s2fs_bench.times",
        "average_ranks": "s2fs_bench.statistics",
        "bench_report": "s2fs_bench.report",
        "build_tables": "s2fs_bench.tables",
        "best_by_learner": "s2fs_bench.ranks",
        "compare_ranks": "s2fs_bench.ranks",
        "critical_difference": "s2fs_bench.statistics",
        "dataset_info": "s2fs_bench.paper.datasets",
        "export_curves": "s2fs_bench.results",
        "export_rows": "s2fs_bench.results",
        "fetch_dataset": "s2fs_bench.paper.download",
        "find_dataset": "s2fs_bench.paper.datasets",
        "friedman_test": "s2fs_bench.statistics",
        "iter_results": "s2fs_bench.results",
        "load_dataset": "s2fs_bench.paper.datasets",
        "load_plan": "s2fs_bench.plan",
        "nemenyi_test": "s2fs_bench.statistics",
        "open_results": "s2fs_bench.archive",
        "plan_for_file": "s2fs_bench.plan",
        "plan_text": "s2fs_bench.plan",
        "plot_critical_difference": "s2fs_bench.plots",
        "plot_curve_panels": "s2fs_bench.curve_plots",
        "plot_curves": "s2fs_bench.curve_plots",
        "plot_memberships": "s2fs_bench.membership_plot",
        "plot_path": "s2fs_bench.path_plot",
        "plot_sensitivity": "s2fs_bench.plots",
        "plot_spread": "s2fs_bench.plots",
        "plot_variants": "s2fs_bench.plots",
        "published_results": "s2fs_bench.paper.published",
        "run_plan": "s2fs_bench.runner",
        "selection_times": "s2fs_bench.times",
        "wilcoxon_holm": "s2fs_bench.statistics",
        "without_stored": "s2fs_bench.joined",
        "write_archive": "s2fs_bench.archive",
        "write_figures": "s2fs_bench.figures",
        "write_folds": "s2fs_bench.exchange",
        "write_tables": "s2fs_bench.render",
    },
)


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
