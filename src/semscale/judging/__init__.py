"""Judges: chat models that score answers against a template, alone and in panels."""
