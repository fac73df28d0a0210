"""Scores of answers and their samples: pairs, measures, contradictions and the floor."""
