"""Systems compared side by side by a judge, and ranked."""
