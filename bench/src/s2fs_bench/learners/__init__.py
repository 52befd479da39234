"""The learners of the bench, which score all sizes of a ranking at once."""
