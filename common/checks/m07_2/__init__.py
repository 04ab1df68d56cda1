"""Exercises of lesson m07_2: one Q/DQ graph, three treatments."""
