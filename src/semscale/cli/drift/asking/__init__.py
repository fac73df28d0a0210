"""Asking a model for runs: options, items, forecasts."""
