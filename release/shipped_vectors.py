"""Write the file of shipped vectors: the sentences that the built-in scales need, in float32.

    python release/shipped_vectors.py

Run it after a change of an anchor, a probe, an unrelated sentence, or the default model of ratings.
"""

import sys
from collections.abc import Sequence
from importlib import resources
from pathlib import Path

import numpy as np

from semscale.embedding import shipped
from semscale.embedding.cache import RememberingEmbedder
from semscale.embedding.embedder import Embedder
from semscale.embedding.openvino import OpenVinoEmbedder
from semscale.errors import ModelError
from semscale.rating.lint import lint
from semscale.rating.rater import Rater
from semscale.scales import scale_names
from semscale.weights.known import DEFAULT_RATING_MODEL
from semscale.weights.resolving import resolve

FILE = Path(str(resources.files("semscale.embedding") / shipped.SHIPPED_FILE))

RATED = "A text that somebody rates."


def computing_embedder() -> OpenVinoEmbedder:
    """Return the default embedder of ratings, without cached and shipped vectors."""
    files = resolve(DEFAULT_RATING_MODEL)
    return OpenVinoEmbedder(
        files.folder, name=files.name, sha256=files.sha256, profile=files.profile, uses_shipped=False
    )


def needed_texts(embedder: Embedder) -> list[str]:
    """List the sentences that are embedded when built-in scales rate a text and are linted."""
    remembering = RememberingEmbedder(embedder)
    for name in scale_names():
        Rater(name, embedder=remembering).rate([RATED])
        lint(name, embedder=remembering)
    return [text for text in remembering.texts if text != RATED]


def compute_table(embedder: OpenVinoEmbedder, texts: Sequence[str]) -> shipped.ShippedTable:
    """Compute the table of shipped vectors.

    Raises:
        ModelError: the model does not read a text at once, or does not know one of its tokens.
    """
    embeddings = embedder.embed(texts)
    if embeddings.n_windowed or embeddings.unknown is None or embeddings.unknown.any():
        raise ModelError("a sentence has several windows or an unknown token, for which the file has no room")
    return shipped.shipped_table(embedder.model_key, texts, embeddings)


def main() -> None:
    """Write the file."""
    embedder = computing_embedder()
    texts = needed_texts(embedder)
    np.save(FILE, compute_table(embedder, texts))
    sys.stdout.write(f"{FILE.name}: {len(texts):,} vectors, {FILE.stat().st_size:,} bytes\n")


if __name__ == "__main__":
    main()
