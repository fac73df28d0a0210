"""Clusters of points, and whether they come back when some points are left out."""
