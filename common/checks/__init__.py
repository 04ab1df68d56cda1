"""Exercises: one folder = one lesson, one file = one exercise with its probe and its judge."""
