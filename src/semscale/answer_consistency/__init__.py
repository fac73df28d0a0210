"""Instrument: agreement of several answers to one prompt."""
