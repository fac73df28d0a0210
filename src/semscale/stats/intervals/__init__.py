"""Estimates with intervals: means, shares and coefficients, by bootstrap, jackknife or formula."""
