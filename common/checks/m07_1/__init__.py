"""Exercises of lesson m07_1: the profiler."""
