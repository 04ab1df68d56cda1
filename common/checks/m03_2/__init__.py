"""Exercises of lesson m03_2: reading XNNPACKQuantizer."""
