"""Texts of many requests, put through the model together."""
