"""Instrument: ordinal ratings of texts by semantic similarity (SSR)."""
