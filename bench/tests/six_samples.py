"""The table of six samples on which the specs of several baselines work their examples."""

import numpy as np

X = np.array(
    [
        [0.0, 0.2, 0.0],
        [0.1, 0.6, 0.2],
        [0.5, 0.0, 0.6],
        [0.6, 0.4, 0.3],
        [0.9, 1.0, 0.7],
        [1.0, 0.8, 1.0],
    ]
)
Y = list("AAABBB")
CODES = np.array([0, 0, 0, 1, 1, 1])
