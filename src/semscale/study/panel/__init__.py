"""Panels of synthetic respondents."""
