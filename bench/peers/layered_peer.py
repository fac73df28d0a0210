"""Matches pairs one by one as in the ClinIQLink document; sentence-transformers encodes every token."""

import json
import re
import string
import sys
import time

import numpy as np
import torch
from sentence_transformers import SentenceTransformer, __version__


def seconds(call):
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


class Matcher:
    """The document's three layers; idf, stop words and baseline are inputs, so only matching is timed."""

    def __init__(self, order):
        self.model = SentenceTransformer(order["model"], device="cpu")
        self.idf = order["idf"]
        self.unseen = order["unseen"]
        self.stop = set(order["stop_words"])
        self.baseline = order["baseline"]

    def _encode(self, texts):
        return self.model.encode(texts, normalize_embeddings=True, show_progress_bar=False)

    def _pieces(self, text):
        return [piece for piece in self.model.tokenizer.tokenize(text) if piece.isalnum()]

    def _cleaned(self, text):
        found = re.findall(r"\w+(?:[.'-]\w+)*|[^\w\s]", text)
        words = (word for word in found if word.lower() not in self.stop)
        return " ".join(word for word in words if not set(word) <= set(string.punctuation))

    def _word(self, prediction, reference):
        ours, theirs = self._pieces(prediction), self._pieces(reference)
        if not ours or not theirs:
            return 0.0
        similarity = self._encode(ours) @ self._encode(theirs).T
        weights = [np.array([self.idf.get(piece, self.unseen) for piece in side]) for side in (ours, theirs)]
        precision = similarity.max(axis=1) @ weights[0] / weights[0].sum()
        recall = similarity.max(axis=0) @ weights[1] / weights[1].sum()
        return 2 * precision * recall / (precision + recall) if precision + recall else 0.0

    def score(self, prediction, reference):
        """Return one pair's score, 0 to 1."""
        clean = self._cleaned(prediction), self._cleaned(reference)
        first, second = self._encode(list(clean))
        paragraph_first, paragraph_second = self._encode([prediction, reference])
        paragraph = (float(paragraph_first @ paragraph_second) - self.baseline) / (1 - self.baseline)
        total = 0.4 * self._word(*clean) + 0.4 * float(first @ second) + 0.2 * paragraph - 0.25
        return max(total, 0.0) if total < 0.95 else 1.0


def main():
    order = json.loads(sys.stdin.readline())
    matcher = Matcher(order)

    def run():
        return [matcher.score(*pair) for pair in order["pairs"]]

    scores = run()  # warms up as well
    about = {"version": __version__, "torch": torch.__version__, "scores": scores}
    print(json.dumps(about), flush=True)
    for _ in sys.stdin:
        print(json.dumps(seconds(run)), flush=True)


main()
