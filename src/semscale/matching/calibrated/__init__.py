"""The method ``calibrated``: words, words in context and whole texts, less penalties for guards' findings."""
