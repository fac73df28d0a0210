"""The gate's decision: its settings, tests, cautions and plan."""
