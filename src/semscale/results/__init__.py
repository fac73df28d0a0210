"""Results of all instruments: rows, estimates, summaries, and runs over tables."""
