"""Documents of drift: a comparison, the trend of runs, a self-test, a plan, and what a history holds."""
