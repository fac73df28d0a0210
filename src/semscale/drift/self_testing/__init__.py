"""Tests of a gate on known damage."""
