"""Shared type aliases."""

from typing import Literal

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]
#: How many features: a number, a fraction, or all of them.
HowMany = int | float | Literal["all"]
