"""Everything that the results of all instruments share: estimates, selections of rows, short descriptions."""
