"""The laboratory: plans, results files that survive being killed, tables, statistics, figures."""

from s2fs.bench._archive import Archive, open_results, write_archive
from s2fs.bench._datasets import (
    PAPER_DATASETS,
    DataFile,
    DatasetInfo,
    dataset_info,
    find_dataset,
    load_dataset,
)
from s2fs.bench._download import fetch_dataset
from s2fs.bench._figures import write_figures
from s2fs.bench._learners import BENCH_LEARNERS, LEARNER_TITLES, PAPER_LEARNERS
from s2fs.bench._ledger import Ledger
from s2fs.bench._plan import PLANS, Plan, SelectorSpec, load_plan, plan_for_file, plan_text
from s2fs.bench._plots import plot_critical_difference, plot_sensitivity, plot_variants
from s2fs.bench._published import published_results
from s2fs.bench._ranks import RankComparison, compare_ranks
from s2fs.bench._render import write_tables
from s2fs.bench._report import bench_report
from s2fs.bench._results import Result, export_curves, export_rows, results
from s2fs.bench._run import Run
from s2fs.bench._runner import Summary, run_plan
from s2fs.bench._statistics import (
    FriedmanResult,
    NemenyiResult,
    PairwiseComparison,
    average_ranks,
    critical_difference,
    friedman_test,
    nemenyi_test,
    wilcoxon_holm,
)
from s2fs.bench._tables import Column, Table, build_tables
from s2fs.bench._times import Times, selection_times

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
    "build_tables",
    "compare_ranks",
    "critical_difference",
    "dataset_info",
    "export_curves",
    "export_rows",
    "fetch_dataset",
    "find_dataset",
    "friedman_test",
    "load_dataset",
    "load_plan",
    "nemenyi_test",
    "open_results",
    "plan_for_file",
    "plan_text",
    "plot_critical_difference",
    "plot_sensitivity",
    "plot_variants",
    "published_results",
    "results",
    "run_plan",
    "selection_times",
    "wilcoxon_holm",
    "write_archive",
    "write_figures",
    "write_tables",
]
