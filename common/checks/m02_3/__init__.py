"""Exercises of lesson m02_3: convert by hand."""
