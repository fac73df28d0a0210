"""From scores to probabilities, and from a judge's scores to what people would say."""
