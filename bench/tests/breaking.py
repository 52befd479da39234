"""Selectors that fail or wait, for plans that name them as ``breaking:Breaking``."""

import os
import time

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


class Waiting(AnovaF):
    """Waits as long as the file named by HOLD is there, but for the toy."""

    def fit(self, X, y):
        while len(X) > 30 and os.path.exists(os.environ.get("HOLD", "")):
            time.sleep(0.05)
        return super().fit(X, y)


class Telling(Waiting):
    """Says that it waits."""

    def fit(self, X, y):
        if len(X) > 30:
            print("ready", flush=True)
        return super().fit(X, y)
