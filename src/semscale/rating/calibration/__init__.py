"""Calibration of ratings from a few labels of people."""
