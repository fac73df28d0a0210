"""Hypothesis tests, their power, and evidence over time."""
