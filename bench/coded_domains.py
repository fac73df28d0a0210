"""Sentences of several domains with the codes that they have, for learning and measuring."""

import csv
import json
import random
import string
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import polars as pl
import yaml

from semscale.coding.codebook import Code, Codebook, load_codebook
from semscale.coding.labels import hand_codes
from shared_data import shared_data

WITHOUT_TOPIC = (
    "nothing", "Nothing", "no", "None", "none", "n/a", "I don't know", "idk", "ok", "fine", "asdf",
    "everything", "All good", "yes", "12", "nothing to add", "no comment", "not sure", "good", "bad", "great",
    "it was ok", "-", "don't know", "no idea", "can't think of anything", "same as above", "all of it",
    "nope", "love it", "nada", "test", "xx", "very good", "see above",
)  # fmt: skip
"""Answers as they come in every survey, which have no code of any codebook."""

OTHER_WITHOUT_TOPIC = (
    "can't think of one", "nil", "not really", "no complaints", "skip", "pass", "same", "don't care",
    "whatever", "see previous", "no idea really", "not sure what to say", "?? no", "nothing special",
    "n o n e", "I do not know", "none that I can think of", "no suggestions", "no thanks",
)  # fmt: skip
"""Further answers without a topic, from which neither weights nor lists were made."""

DOMAINS = Path(__file__).parent / "data" / "coded"
EXAMPLE = Path(__file__).parents[1] / "examples" / "coding"


@dataclass(frozen=True)
class CodedDomain:
    """Answers of one domain, sentence by sentence.

    Attributes:
        name: the domain.
        codebook: k codes.
        sentences: m sentences.
        answers: shape (m,), number of each sentence's answer.
        codes: shape (m, k), 1 for a code of the sentence.
    """

    name: str
    codebook: Codebook
    sentences: list[str]
    answers: np.ndarray
    codes: np.ndarray

    def texts(self) -> list[str]:
        """Return the answers, each with its sentences in one text."""
        sentences: list[list[str]] = [[] for _ in range(self.answers.max() + 1)]
        for text, answer in zip(self.sentences, self.answers, strict=True):
            sentences[answer].append(text)
        return [" ".join(texts) for texts in sentences]

    def in_answers(self, of_sentences: np.ndarray) -> np.ndarray:
        """Return the greatest value of each answer's sentences, shape (answers, k)."""
        values = np.full((self.answers.max() + 1, of_sentences.shape[1]), -np.inf)
        np.maximum.at(values, self.answers, of_sentences)
        return values


def keyboard_noise(n: int, seed: int = 7) -> list[str]:
    """Draw texts of one to three words as they are typed at random, on one row of keys or with one letter."""
    rng, rows = random.Random(seed), ("qwertyuiop", "asdfghjkl", "zxcvbnm")

    def word() -> str:
        row, length, kind = rng.choice(rows), rng.randint(3, 8), rng.random()
        if kind < 0.4:
            return "".join(rng.choice(row) for _ in range(length))
        if kind < 0.6:
            start = rng.randint(0, len(row) - 3)
            return row[start : start + length]
        if kind < 0.8:
            return "".join(rng.choice("".join(rows)) for _ in range(length))
        return rng.choice(string.ascii_lowercase) * length

    return [" ".join(word() for _ in range(rng.choice([1, 1, 1, 2, 3]))) for _ in range(n)]


def learning_domains() -> list[CodedDomain]:
    """Read the domains whose sentences a language model coded, by name."""
    table = pl.read_csv(EXAMPLE / "reviews.csv").filter(pl.col("hand_codes").is_not_null())
    book = load_codebook(EXAMPLE / "codes.yaml")
    answers = [[[text, codes]] for text, codes in table.select("text", "hand_codes").rows()]
    domains = [_domain("products", book, answers)]
    for path in sorted(DOMAINS.glob("*.yaml")):
        content = yaml.safe_load(path.read_text(encoding="utf-8"))
        codes = [Code(**{**code, "examples": tuple(code["examples"])}) for code in content["codes"]]
        answers = [_sentences(answer) for answer in content["answers"]]
        domains.append(_domain(path.stem, Codebook(path.stem, tuple(codes)), answers))
    return domains


def _sentences(answer: list[list[str]] | dict[str, object]) -> list[list[str]]:
    """Return pairs of a sentence and its codes; some texts are not part of the repository."""
    if isinstance(answer, list):
        return answer
    text = _texts(answer["file"])[answer["row"] - 1]
    return [[text[start:end], codes] for start, end, codes in answer["sentences"]]


@cache
def _texts(file: str) -> list[str]:
    with (shared_data("constructs") / file).open(encoding="utf-8", newline="") as lines:
        return [row["text"] for row in csv.DictReader(lines)]


def restaurants() -> CodedDomain:
    """Read reviews of restaurants whose topics people coded; they are not part of the repository."""
    folder = shared_data("topics")
    with (folder / "restaurants.csv").open(encoding="utf-8", newline="") as file:
        reviews = [json.loads(row["sentences"]) for row in csv.DictReader(file)]
    answers = [[[text, "; ".join(codes) or "none"] for text, codes in review] for review in reviews]
    return _domain("restaurants", load_codebook(folder / "codebook.yaml"), answers)


def _domain(name: str, codebook: Codebook, answers: list[list[list[str]]]) -> CodedDomain:
    rows = [(number, text, codes) for number, answer in enumerate(answers) for text, codes in answer]
    codes = hand_codes([[row[2] for row in rows]], codebook, ["codes"])[0]
    return CodedDomain(name, codebook, [row[1] for row in rows], np.array([row[0] for row in rows]), codes)
