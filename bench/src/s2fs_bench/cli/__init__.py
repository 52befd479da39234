"""The commands ``s2fs bench``, ``s2fs data`` and ``s2fs figures``, added by entry points."""
