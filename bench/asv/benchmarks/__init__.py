"""The cases that asv measures."""
