"""Selectors that fail, for plans that name them as ``breaking:Breaking``."""

import os

from s2fs.baselines.reference import AnovaF


class Breaking(AnovaF):
    def _feature_scores(self, X, codes):
        raise RuntimeError(f"broken on {len(X)} rows")


class Dying(AnovaF):
    """Takes its process with it, but for the toy that is run to compile."""

    def _feature_scores(self, X, codes):
        if len(X) > 30:
            os._exit(1)
        return super()._feature_scores(X, codes)
