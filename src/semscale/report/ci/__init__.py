"""A gate's decision for CI servers: annotations, test results and a short summary."""
