"""Exercises of lesson m03_1: annotation, quantizer, prepare_pt2e."""
