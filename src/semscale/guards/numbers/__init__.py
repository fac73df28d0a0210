"""Numbers, units, times and labels in texts, and the guard that compares them."""
