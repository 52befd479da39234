"""Leaves: small things that any other module may use, and that import nothing of s2fs."""
