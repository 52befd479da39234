"""The rivals of S²FS behind the same contract, and reference rankers.

A new one is a file in this folder and a line here: everything that goes over all of them, such as
the tests of conformance, the bench and the documentation, reads :data:`RIVALS`.
"""

from s2fs.baselines._completion import RivalSelector
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

#: All rivals and reference rankers by name.
RIVALS: dict[str, type[RivalSelector]] = {
    name: thing
    for name, thing in sorted(vars().items())
    if isinstance(thing, type) and thing is not RivalSelector
}
