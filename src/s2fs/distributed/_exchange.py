"""What travels in a step: a question to all shards, and the answer of each, packed tightly.

Candidates are asked about in three ways: for lower bounds of the compactness of the subset they
join ("least"), for the compactness in single precision with its rounding error, and in double
precision, where that error counts as 0. An answer is the shard's share of these sums over rows.
"""

from typing import NamedTuple

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

    def read(self, packed: bytes) -> Shares:
        """The answer of a shard, as it was before :func:`pack`, but for the digits cut off."""
        n = {kind: len(those) for kind, those in self.candidates().items()}
        start = 0

        def take(count: int, real: type[np.generic]) -> NDArray[np.generic]:
            nonlocal start
            taken = np.frombuffer(packed, real, count, start)
            start += taken.nbytes
            return taken

        shares = {kind: np.zeros((2 if kind == "least" else 3, n[kind])) for kind in n}
        shares["double"][:2] = take(2 * n["double"], np.float64).reshape(2, -1)
        shares["single"][:2] = take(2 * n["single"], np.float32).reshape(2, -1)
        shares["single"][2] = take(1, np.float32)
        shares["least"][0] = take(n["least"], np.float32)
        shares["least"][1] = (take(n["least"], np.uint16).astype(np.uint32) << 16).view(np.float32)
        return shares


def pack(shares: Shares) -> bytes:
    """The answer of a shard: 6 bytes for a bound, 8 in single and 16 in double precision.

    Half of the digits are enough to bound the direction; cut off, it is still a bound. Of the
    rounding errors only the largest is sent.
    """
    single, double = shares["single"], shares["double"]
    # Rounding must not make the bounds larger.
    distance, direction = (shares["least"] * (1 - 2.0**-23)).astype(np.float32)
    arrays: list[NDArray[np.generic]] = [
        double[:2],
        np.append(single[:2], single[2].max(initial=0)).astype(np.float32),
        distance,
        (direction.view(np.uint32) >> 16).astype(np.uint16),
    ]
    return b"".join(array.tobytes() for array in arrays)
