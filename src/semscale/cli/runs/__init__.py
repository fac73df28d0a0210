"""What commands do between their options and their output."""
