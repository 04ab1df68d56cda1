"""Exercises of lesson m04_2: fusion patterns."""
