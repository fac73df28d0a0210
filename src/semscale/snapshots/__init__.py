"""Snapshot tests of model outputs: outputs are approved once, and later outputs compared by meaning."""
