"""What travels in a step: a question to all shards, and the answer of each.

Candidates are asked about in three ways: for lower bounds of the compactness of the subset they
join ("least"), for the compactness in single precision with its rounding error, and in double
precision, where that error counts as 0. An answer is the shard's share of these sums over rows.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from s2fs._util.types import Floats, Indices

#: A column for each candidate, by increasing index; the rows are Θ_dis, Θ_dir, and its error.
Shares = dict[str, Floats]


class Question(NamedTuple):
    """The candidates that the shards are asked about: a bit for each feature is what is sent."""

    least: bytes
    single: bytes
    double: bytes

    @classmethod
    def about(cls, n_features: int, candidates: dict[str, Indices]) -> "Question":
        """The question about some candidates of each kind."""
        bits = dict.fromkeys(cls._fields, b"")
        for kind, those in candidates.items():
            asked = np.zeros(n_features, dtype=bool)
            asked[those] = True
            bits[kind] = np.packbits(asked).tobytes()
        return cls(**bits)

    def candidates(self) -> dict[str, Indices]:
        """The candidates of each kind, by increasing index."""
        return {
            kind: np.flatnonzero(np.unpackbits(np.frombuffer(bits, np.uint8)))
            for kind, bits in self._asdict().items()
        }

    def read(self, sent: dict[str, NDArray[Any]]) -> Shares:
        """The answer of a shard, as it was before :func:`as_sent`, but for the digits cut off."""
        error = np.full(sent["single"].shape[1], sent["error"])
        none = np.zeros(sent["double"].shape[1])
        return {
            "least": np.vstack([sent["distance"], sent["direction"]]).astype(np.float64),
            "single": np.vstack([sent["single"], error]).astype(np.float64),
            "double": np.vstack([sent["double"], none]),
        }


def as_sent(shares: Shares) -> dict[str, NDArray[Any]]:
    """The answer of a shard in few bytes: 6 for a bound, 8 in single and 16 in double precision.

    Half precision is enough to bound the direction, which is at most 2. Of the rounding errors only
    the largest is sent. Rounding must not make a bound larger.
    """
    distance, direction = shares["least"]
    single = shares["single"].astype(np.float32)
    return {
        "distance": (distance * (1 - 2.0**-23)).astype(np.float32),
        "direction": np.maximum(direction * (1 - 2.0**-10) - 2.0**-24, 0).astype(np.float16),
        "single": single[:2],
        "error": single[2].max(initial=0),
        "double": shares["double"][:2],
    }
