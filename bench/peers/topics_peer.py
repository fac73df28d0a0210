"""Topics of texts by BERTopic and Top2Vec, with vectors that were made elsewhere.

Run with ``python topics_peer.py LIBRARY FILE``. The file (JSON) has ``texts`` with their ``vectors``,
``words`` with theirs, and the number of topics to which they are ``reduced`` as well. Prints one line of
JSON: for all topics, and for the reduced ones, the topic of each text, -1 for none, and each topic's words.
"""

import json
import sys
from contextlib import redirect_stdout
from importlib.metadata import version

import numpy as np

MOST_WORDS = 8
SEED = 0


def bertopic(given):
    """Return topics by BERTopic's defaults, with a seed for UMAP, and topics that it reduced."""
    from bertopic import BERTopic
    from umap import UMAP

    def topics():
        words = {topic: [word for word, _ in model.get_topic(topic)] for topic in set(model.topics_) - {-1}}
        return as_json(model.topics_, words)

    reducer = UMAP(n_neighbors=15, n_components=5, min_dist=0.0, metric="cosine", random_state=SEED)
    model = BERTopic(embedding_model=None, umap_model=reducer, verbose=False)
    model.fit(given["texts"], np.array(given["vectors"]))
    everything = topics()
    model.reduce_topics(given["texts"], nr_topics=given["reduced"] + 1)  # one of them is for no topic
    return everything, topics()


def top2vec(given):
    """Return topics by Top2Vec's defaults, with a seed for UMAP, and topics that it reduced."""
    from top2vec import Top2Vec

    known = dict(zip(given["texts"], given["vectors"], strict=True))
    known |= dict(zip(given["words"], given["word_vectors"], strict=True))
    nothing = [0.0] * len(given["vectors"][0])
    model = Top2Vec(
        given["texts"],
        embedding_model=lambda some: np.array([known.get(text, nothing) for text in some]),
        min_count=20,
        umap_args={"n_neighbors": 15, "n_components": 5, "metric": "cosine", "random_state": SEED},
        verbose=False,
    )
    model.hierarchical_topic_reduction(given["reduced"])
    return (
        as_json(model.doc_top, dict(enumerate(model.topic_words))),
        as_json(model.doc_top_reduced, dict(enumerate(model.topic_words_reduced))),
    )


def as_json(labels, words):
    return {
        "labels": [int(label) for label in labels],
        "words": {int(topic): list(some)[:MOST_WORDS] for topic, some in words.items()},
    }


def main():
    library, path = sys.argv[1:]
    with open(path, encoding="utf-8") as file:
        given = json.load(file)
    with redirect_stdout(sys.stderr):
        everything, reduced = bertopic(given) if library == "BERTopic" else top2vec(given)
    print(json.dumps({"version": version(library.lower()), "all": everything, "reduced": reduced}))


if __name__ == "__main__":
    main()
