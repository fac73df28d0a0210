"""Audits: whether changes that mean nothing change a judge's scores."""
