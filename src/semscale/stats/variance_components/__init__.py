"""Variance components: how much of the spread of ratings comes from respondents, anchors, samples, models."""
