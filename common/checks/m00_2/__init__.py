"""Exercises of lesson m00_2: reading a graph."""
