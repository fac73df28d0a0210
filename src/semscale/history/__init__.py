"""Stored runs: what a model gave, which run is the approved baseline, and what comparisons found."""
