"""Exercises of lesson m05_1: granularity."""
