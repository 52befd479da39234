"""The bench: plans, a ledger of finished work, a runner that can be stopped, and tables."""

from s2fs.benchmark._archive import Archive, open_results, write_archive
from s2fs.benchmark._comparison import Comparison, compare
from s2fs.benchmark._ledger import Ledger
from s2fs.benchmark._plan import PLANS, Plan, SelectorSpec, load_plan
from s2fs.benchmark._printed import printed_results
from s2fs.benchmark._render import write_tables
from s2fs.benchmark._results import Result, export_curves, export_rows, results
from s2fs.benchmark._runner import Summary, run
from s2fs.benchmark._tables import Column, Table, build_tables

__all__ = [
    "PLANS",
    "Archive",
    "Column",
    "Comparison",
    "Ledger",
    "Plan",
    "Result",
    "SelectorSpec",
    "Summary",
    "Table",
    "build_tables",
    "compare",
    "export_curves",
    "export_rows",
    "load_plan",
    "open_results",
    "printed_results",
    "results",
    "run",
    "write_archive",
    "write_tables",
]
