"""The gate: settings, tests, decision, cautions and plan."""
