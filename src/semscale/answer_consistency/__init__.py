"""Instrument: how far several answers to one prompt agree."""
