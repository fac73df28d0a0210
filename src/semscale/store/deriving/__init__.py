"""Columns that are made of a table's own: bands of numbers, groups of values, labels of values."""
