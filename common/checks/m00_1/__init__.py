"""Exercises of lesson m00_1: what torch.export gives you."""
