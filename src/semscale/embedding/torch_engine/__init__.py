"""The engine ``torch`` for BERT-like checkpoints: packed rows without padding, on a processor or a GPU."""
