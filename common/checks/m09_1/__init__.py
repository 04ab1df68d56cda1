"""Exercises of lesson m09_1: from a Q/DQ graph to ONNX Runtime."""
