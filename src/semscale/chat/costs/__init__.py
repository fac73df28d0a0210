"""What calls cost: budgets, prices, and the forecast of a run."""
