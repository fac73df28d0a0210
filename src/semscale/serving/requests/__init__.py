"""Requests: their bodies within the limits, and their fields."""
