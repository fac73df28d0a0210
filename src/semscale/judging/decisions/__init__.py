"""Verdicts from typed decisions, and rubrics of several criteria."""
