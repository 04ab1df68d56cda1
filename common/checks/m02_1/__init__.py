"""Exercises of lesson m02_1: from a range to integers."""
