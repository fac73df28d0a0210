"""What an answer and its samples mean: which say the same, and entropies of their meanings."""
