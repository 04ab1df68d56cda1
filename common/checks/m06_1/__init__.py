"""Exercises of lesson m06_1: fake quant and the straight-through gradient."""
