"""Exercises of lesson m05_2: observers and calibration."""
