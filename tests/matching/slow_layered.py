"""The layered match written out pair by pair, as an oracle: no table, no batches, no shared weights."""

from math import log

import numpy as np

from semscale.matching.words import stop_words

PUNCTUATION = set("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")


def cleaned(text):
    return " ".join(
        token for token in text.split() if token.lower() not in stop_words() and not set(token) <= PUNCTUATION
    )


def cleaned_apart(text):
    """Cleaning as the document has it: a mark is a token of its own, so "the," is a stop word and a mark."""
    for mark in PUNCTUATION - {"'"}:
        text = text.replace(mark, f" {mark} ")
    return cleaned(text)


def cosine(embedder, first, second):
    a, b = (embedder.embed([text]).vectors[0].astype(float) for text in (first, second))
    return sum(x * y for x, y in zip(a, b, strict=True)) / np.sqrt((a * a).sum() * (b * b).sum())


def idf(piece, corpus, unseen):
    df = sum(piece in document.split() for document in corpus)
    if df == 0 and unseen is not None:
        return unseen
    return log((len(corpus) + 1) / (df + 1)) + 1


def word_f1(embedder, prediction, reference, corpus, unseen):
    prediction_pieces = [piece for piece in prediction.split() if piece.isalnum()]
    reference_pieces = [piece for piece in reference.split() if piece.isalnum()]
    if not prediction_pieces or not reference_pieces:
        return 0.0

    def side(pieces, other_pieces):
        weights = [idf(piece, corpus, unseen) for piece in pieces]
        best = [max(cosine(embedder, piece, other) for other in other_pieces) for piece in pieces]
        return sum(w * b for w, b in zip(weights, best, strict=True)) / sum(weights)

    precision, recall = side(prediction_pieces, reference_pieces), side(reference_pieces, prediction_pieces)
    return 2 * precision * recall / (precision + recall)


def doc_score(embedder, prediction, reference, corpus, baseline):
    texts = cleaned_apart(prediction), cleaned_apart(reference)
    word = word_f1(embedder, *texts, corpus, unseen=None)
    sentence = cosine(embedder, *texts)
    paragraph = (cosine(embedder, prediction, reference) - baseline) / (1 - baseline)
    total = max(0.0, 0.4 * word + 0.4 * sentence + 0.2 * paragraph - 0.25)
    return 1.0 if total >= 0.95 else total


def code_score(embedder, prediction, reference, corpus, baseline):
    if prediction.strip().lower() == reference.strip().lower():
        return 1.0
    texts = cleaned(prediction), cleaned(reference)
    word = word_f1(embedder, *texts, corpus, unseen=1.0)
    sentence = cosine(embedder, *texts)
    total = max(
        0.0, 0.4 * word + 0.4 * sentence + 0.2 * max(0.0, (sentence - baseline) / (1 - baseline)) - 0.25
    )
    return 1.0 if total >= 0.95 else total
