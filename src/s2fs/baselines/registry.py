"""The baselines of the package, one line each.

The bench, the command line, the tests of the common contract and the reference pages all read
:data:`BASELINES`.
"""

from importlib.util import find_spec as _find_spec

from s2fs.baselines.base import Baseline
from s2fs.baselines.fdm import FDM as FDM
from s2fs.baselines.fgzefsr import FGZEFSR as FGZEFSR
from s2fs.baselines.fsnmer import FSNMER as FSNMER
from s2fs.baselines.ipd import IPD as IPD
from s2fs.baselines.mafrfs import MAFRFS as MAFRFS
from s2fs.baselines.mdp import MDP as MDP
from s2fs.baselines.n3y import N3Y as N3Y
from s2fs.baselines.rdsi import RDSI as RDSI
from s2fs.baselines.reference import AnovaF as AnovaF
from s2fs.baselines.reference import MutualInformation as MutualInformation
from s2fs.baselines.reference import RandomOrder as RandomOrder
from s2fs.baselines.reference import ReliefF as ReliefF
from s2fs.baselines.sfss import SFSS as SFSS
from s2fs.baselines.wrappers import MRMR as MRMR
from s2fs.baselines.wrappers import SVMRFE as SVMRFE
from s2fs.baselines.wrappers import FastCan as FastCan
from s2fs.baselines.wrappers import GroupLasso as GroupLasso
from s2fs.baselines.wrappers import LightGBMGain as LightGBMGain
from s2fs.baselines.wrappers import OneVsRestT as OneVsRestT
from s2fs.baselines.wrappers import RandomForestImportance as RandomForestImportance
from s2fs.baselines.wrappers import Wilcoxon as Wilcoxon

#: Every baseline by name: the classes imported above.
BASELINES: dict[str, type[Baseline]] = {
    name: imported
    for name, imported in sorted(vars().items())
    if isinstance(imported, type) and imported is not Baseline
}


def installed_baselines() -> dict[str, type[Baseline]]:
    """List the baselines that can run here: some need another package.

    Returns
    -------
    dict of str to type
        The classes by name.
    """
    return {
        name: baseline
        for name, baseline in BASELINES.items()
        if baseline.package is None or _find_spec(baseline.package) is not None
    }
