"""Words in the names and wordings of questions, such as "recommend" and "wave"."""

import re
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import resources

import yaml

from semscale.store.missing_codes import code_key

_SIGN = re.compile("[\u3040-\u30ff\u3400-\u9fff]")


def mentions_any(text: str, words: str) -> bool:
    """Return whether a text has one of the words of ``question_words.yaml``, also inside of Chinese."""
    folded = code_key(text)
    return any(
        word in folded if _SIGN.match(word) else re.search(rf"(?<![^\W_]){re.escape(word)}", folded)
        for word in _words(words)
    )


@cache
def _words(name: str) -> frozenset[str]:
    content = (resources.files("semscale.survey") / "question_words.yaml").read_text(encoding="utf-8")
    listed: Mapping[str, Sequence[str]] = yaml.safe_load(content)
    return frozenset(map(code_key, listed[name]))
