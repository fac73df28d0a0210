"""The method ``calibrated``: words, words in context and whole texts, less what the guards find."""
