"""Statistics on arrays: intervals, agreement, tests, calibration and surveys; NumPy and SciPy only."""
