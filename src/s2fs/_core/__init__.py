"""The mathematics in plain NumPy."""
