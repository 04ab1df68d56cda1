"""Exercises of lesson m08_1: from a Q/DQ graph to a .pte file that runs."""
