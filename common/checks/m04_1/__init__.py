"""Exercises of lesson m04_1: folding batch norm."""
