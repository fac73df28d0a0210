"""Reference sentences, their tables, and texts that the guide would rate."""

import numpy as np
import polars as pl

FORMAL = ["Strongly disagree", "Disagree", "Neutral", "Agree", "Strongly agree"]
CASUAL = ["Disagree a lot", "Kinda disagree", "Don't know", "Kinda agree", "Agree a lot"]
TEXTS = ["I completely agree with this", "I'm not really sure about this", "I strongly disagree"]


def references(**sets):
    return pl.DataFrame(
        {
            "id": [name for name, sentences in sets.items() for _ in sentences],
            "int_response": [r for sentences in sets.values() for r in range(1, len(sentences) + 1)],
            "sentence": [sentence for sentences in sets.values() for sentence in sentences],
        }
    )


def with_vectors(table, d=8, seed=0):
    vectors = np.random.default_rng(seed).normal(size=(table.height, d))
    return table.with_columns(pl.Series("embedding", vectors.tolist())), vectors
