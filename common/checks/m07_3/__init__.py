"""Exercises of lesson m07_3: integers only."""
