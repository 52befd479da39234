"""The version of the laboratory, that of the s2fs it belongs to."""

__version__ = "0.1.0"
