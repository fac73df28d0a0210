"""Documents of coded answers and of proposed codebooks."""
