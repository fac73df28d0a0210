"""Numbers about numbers: estimates with intervals, agreement; NumPy and SciPy only."""
