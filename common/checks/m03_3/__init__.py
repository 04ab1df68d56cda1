"""Exercises of lesson m03_3: a quantizer by rules."""
