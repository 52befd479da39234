"""A selector that fails where it is told to, for plans that name it as ``breaking:Breaking``."""

from s2fs.baselines.reference import AnovaF


class Breaking(AnovaF):
    def _feature_scores(self, X, codes):
        raise RuntimeError(f"broken on {len(X)} rows")
