"""Conditions on rows, such as ``age >= 18 and country in ('DE', 'AT')``."""
