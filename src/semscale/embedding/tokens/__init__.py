"""Token ids of texts and the hidden states of their tokens."""
