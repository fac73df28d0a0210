"""Hard limits of the gate: what no candidate may do, whatever its mean drift is."""
