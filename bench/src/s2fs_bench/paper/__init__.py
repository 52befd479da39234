"""The paper: its datasets, where they are found, and the numbers it prints."""
