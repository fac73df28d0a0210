"""Snapshot tests of model outputs: later outputs are compared with approved ones by meaning."""
