"""From answers and samples to values: pairs, measures, contradictions and the floor."""
