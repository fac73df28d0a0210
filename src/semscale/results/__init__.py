"""Results of all instruments: their estimates, selections of rows, and short descriptions."""
