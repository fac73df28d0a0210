"""Estimates, differences, letters and tests of one question by one banner."""
