"""Measurement of a candidate's outputs against the baseline's."""
