"""Topics of texts by BERTopic and Top2Vec, with vectors that were made elsewhere.

Run with ``python topics_peer.py LIBRARY FILE``. The file (JSON) has ``texts`` with their ``vectors``, and
``words`` with theirs. Prints one line of JSON: the topic of each text, -1 for none, and each topic's words.
"""

import json
import sys
from contextlib import redirect_stdout

import numpy as np

MOST_WORDS = 8
SEED = 0


def bertopic(texts, vectors):
    """Return topics by BERTopic's defaults, with a seed for UMAP."""
    from bertopic import BERTopic, __version__
    from umap import UMAP

    reducer = UMAP(n_neighbors=15, n_components=5, min_dist=0.0, metric="cosine", random_state=SEED)
    model = BERTopic(embedding_model=None, umap_model=reducer, verbose=False)
    labels, _ = model.fit_transform(texts, np.array(vectors))
    words = {topic: [word for word, _ in model.get_topic(topic)][:MOST_WORDS] for topic in set(labels) - {-1}}
    return __version__, list(map(int, labels)), words


def top2vec(texts, vectors, words, word_vectors):
    """Return topics by Top2Vec's defaults, with a seed for UMAP."""
    from importlib.metadata import version

    from top2vec import Top2Vec

    known = dict(zip(texts, vectors, strict=True)) | dict(zip(words, word_vectors, strict=True))
    nothing = [0.0] * len(vectors[0])
    model = Top2Vec(
        texts,
        embedding_model=lambda some: np.array([known.get(text, nothing) for text in some]),
        min_count=20,
        umap_args={"n_neighbors": 15, "n_components": 5, "metric": "cosine", "random_state": SEED},
        verbose=False,
    )
    labels = model.doc_top
    topics = {topic: list(words[:MOST_WORDS]) for topic, words in enumerate(model.topic_words)}
    return version("top2vec"), list(map(int, labels)), topics


def main():
    library, path = sys.argv[1:]
    with open(path, encoding="utf-8") as file:
        given = json.load(file)
    with redirect_stdout(sys.stderr):
        if library == "BERTopic":
            version, labels, words = bertopic(given["texts"], given["vectors"])
        else:
            version, labels, words = top2vec(
                given["texts"], given["vectors"], given["words"], given["word_vectors"]
            )
    print(json.dumps({"version": version, "labels": labels, "words": {int(k): w for k, w in words.items()}}))


if __name__ == "__main__":
    main()
