"""Exercises of lesson m01_2: what prepare and convert changed."""
