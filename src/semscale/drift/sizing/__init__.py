"""How many items or reruns would decide a gate: by simulation, by formulas, and planned ahead."""
