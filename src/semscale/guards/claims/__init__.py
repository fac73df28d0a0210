"""Guards for who and whom, how many, how surely, only which, in what order, and on what condition."""
