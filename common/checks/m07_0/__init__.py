"""The prediction of overview m07_0: what a backend makes of Q/DQ."""
