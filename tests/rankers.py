"""The baselines of this distribution by name; BASELINES has those of others beside them."""

from importlib.util import find_spec

import numpy as np

from s2fs import baselines
from s2fs.baselines.base import Ranked

RANKERS = {name: cls for name, cls in vars(baselines).items() if name in baselines.BASELINES}
#: Those that can run here: some need another package.
INSTALLED = {
    name: cls for name, cls in RANKERS.items() if cls.package is None or find_spec(cls.package)
}


class Guessed(baselines.Baseline):
    """Ranks by the distance of the class means, and is not sure of its source."""

    status = "reconstructed"
    citation = "A. Nobody, A test, 1900"

    def _rank_varying(self, X, codes, k):
        means = np.array([X[codes == q].mean(axis=0) for q in range(codes.max() + 1)])
        best = np.argsort(-np.ptp(means, axis=0), kind="stable")[:k]
        return Ranked(best, np.ptp(means, axis=0)[best], k)
