"""``s2fs demo``: its option, and what it shows."""

from dataclasses import dataclass
from pathlib import Path

from s2fs.cli.command import command
from s2fs.cli.options import report_option


@dataclass(frozen=True, kw_only=True)
class Demo:
    """What ``s2fs demo`` was asked for."""

    report: Path = report_option("Where to write the page to look at.", default="srbct-report.html")


@command(Demo, work="_demonstration", epilog="\b\nExample:\n  s2fs demo")
def demo(asked: Demo) -> None:
    """Select 20 of 2308 genes that tell four childhood tumours apart.

    Shows the genes that PairCover and S²FS select, and how well logistic regression does with them
    on held-out samples, beside ANOVA F, random genes, all genes and the majority class. Genes are
    selected inside the folds: the samples a fold is tested on have no part in the selection. Ends
    by writing a page to look at in a browser.
    """
