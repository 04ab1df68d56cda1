"""What runs the files that a backend makes (.pte, .onnx): small programs for `common.measure`, and their callers.

Nothing here loads torch or a backend when it is imported.
"""
