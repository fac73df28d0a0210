"""BERTScore: token by token similarity of two texts, at one layer of an encoder."""
