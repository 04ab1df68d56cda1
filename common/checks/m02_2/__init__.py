"""Exercises of lesson m02_2: observers and fake quant put in by hand."""
