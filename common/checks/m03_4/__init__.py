"""Exercises of lesson m03_4: one scale for several places."""
