"""Exercises of lesson m05_3: which layer is to blame."""
