"""Statistics on arrays: intervals, agreement, tests and calibration; NumPy and SciPy only."""
