"""Which set of features to try next."""
