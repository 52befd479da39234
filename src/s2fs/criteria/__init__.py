"""The mathematics in plain NumPy: the truth that the tests compare with."""
