"""Which feature to select next, and when to stop."""
