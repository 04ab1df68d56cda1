"""Exercises of lesson m01_1: the smallest PTQ."""
