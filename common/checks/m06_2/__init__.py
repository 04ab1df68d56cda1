"""Exercises of lesson m06_2: schedule and honest comparison."""
