"""History: stored runs of models, approvals of baselines, and results of comparisons."""
