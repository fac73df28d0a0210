"""What CI servers read of a gate's decision: annotations, test results and a short summary."""
