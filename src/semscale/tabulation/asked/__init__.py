"""Questions and groups of a survey, read from the columns of a table."""
