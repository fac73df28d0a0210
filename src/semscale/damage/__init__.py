"""Known damage to runs: changes that a gate must notice, and changes that it must not."""
