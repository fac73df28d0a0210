"""Cross-encoders: models that read two texts at once and classify the pair."""
