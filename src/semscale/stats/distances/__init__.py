"""Distances between distributions over ordered points, with what they are held against."""
