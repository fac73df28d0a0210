"""Several models and prompts in one table: who is better, what it costs and how long it takes."""
