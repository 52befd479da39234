"""The laboratory: plans, a results file that survives being killed, a runner, tables, figures."""

from s2fs.bench._archive import Archive, open_results, write_archive
from s2fs.bench._comparison import Comparison, compare
from s2fs.bench._download import fetch_dataset
from s2fs.bench._figures import write_figures
from s2fs.bench._ledger import Ledger
from s2fs.bench._local import find_dataset, load_dataset
from s2fs.bench._pairwise import PairwiseComparison, wilcoxon_holm
from s2fs.bench._paper_data import PAPER_DATASETS, DatasetInfo
from s2fs.bench._plan import PLANS, Plan, SelectorSpec, load_plan
from s2fs.bench._plot_ranks import plot_critical_difference
from s2fs.bench._plot_sensitivity import plot_sensitivity
from s2fs.bench._plot_variants import plot_variants
from s2fs.bench._published import published_results
from s2fs.bench._render import write_tables
from s2fs.bench._report import bench_report
from s2fs.bench._results import Result, export_curves, export_rows, results
from s2fs.bench._runner import Summary, run
from s2fs.bench._statistics import (
    FriedmanResult,
    NemenyiResult,
    average_ranks,
    critical_difference,
    friedman_test,
    nemenyi_test,
)
from s2fs.bench._tables import Column, Table, build_tables

__all__ = [
    "PAPER_DATASETS",
    "PLANS",
    "Archive",
    "Column",
    "Comparison",
    "DatasetInfo",
    "FriedmanResult",
    "Ledger",
    "NemenyiResult",
    "PairwiseComparison",
    "Plan",
    "Result",
    "SelectorSpec",
    "Summary",
    "Table",
    "average_ranks",
    "bench_report",
    "build_tables",
    "compare",
    "critical_difference",
    "export_curves",
    "export_rows",
    "fetch_dataset",
    "find_dataset",
    "friedman_test",
    "load_dataset",
    "load_plan",
    "nemenyi_test",
    "open_results",
    "plot_critical_difference",
    "plot_sensitivity",
    "plot_variants",
    "published_results",
    "results",
    "run",
    "wilcoxon_holm",
    "write_archive",
    "write_figures",
    "write_tables",
]
