"""What the commands ``semscale drift`` do between their options and their output, and the options."""
