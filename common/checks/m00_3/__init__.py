"""Exercises of lesson m00_3: running a graph, recording what its nodes compute, comparing two graphs."""
