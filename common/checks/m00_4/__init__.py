"""Exercises of lesson m00_4: changing a graph. Insert, rewire, recompile, erase."""
