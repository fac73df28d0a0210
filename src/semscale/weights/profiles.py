"""Profiles of embedding models: how each one is to be used, which its files do not say."""

from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

ENGLISH = frozenset({"en"})
# Conneau et al. 2020, table 6, by ISO 639-1 code. Norwegian is "no", "nb" or "nn", as tools write it.
_XLM_ROBERTA = (
    "af am ar as az be bg bn br bs ca cs cy da de el en eo es et eu fa fi fr fy ga gd gl gu ha he hi hr "
    "hu hy id is it ja jv ka kk km kn ko ku ky la lo lt lv mg mk ml mn mr ms my nb ne nl nn no om or pa "
    "pl ps pt ro ru sa sd si sk sl so sq sr su sv sw ta te th tl tr ug uk ur uz vi xh yi zh "
)
XLM_ROBERTA_LANGUAGES = frozenset(_XLM_ROBERTA.split())


class CosineBand(NamedTuple):
    """Cosines of two random texts: the 5th, 50th and 95th percentile.

    Measured on 1,000 texts, 250 each of review sentences, tweets, film reviews and editorials (the sets of
    Hutto and Gilbert 2014), all pairs.
    """

    low: float
    middle: float
    high: float


@dataclass(frozen=True)
class ModelProfile:
    """How an embedding model is to be used.

    Attributes:
        prefix: put before every text in tasks that compare texts of one kind, as all tasks here do; empty for
            most models.
        pooling: how a text's vector is made of its tokens' states, where the files do not say.
        max_tokens: the most tokens that the model was trained to read at once, special ones included.
        languages: ISO 639-1 codes of the languages that it reads; empty where that is not known.
        reads_emoji: whether ratings of faces, hands and hearts agree with people's (``bench/emoji.py``).
        random_cosines: the band in which cosines of unrelated texts lie; ``None`` where nobody measured it.
        turbo: whether products in 8-bit integers were measured to keep its ratings (``bench/precision.py``).
    """

    prefix: str = ""
    pooling: Literal["mean", "cls"] = "mean"
    max_tokens: int = 512
    languages: frozenset[str] = frozenset()
    reads_emoji: bool = False
    random_cosines: CosineBand | None = None
    turbo: bool = False


MINILM_PROFILE = ModelProfile(
    max_tokens=256, languages=ENGLISH, random_cosines=CosineBand(-0.063, 0.061, 0.261)
)
# The model's page asks for "query: " before texts of one kind, and for "passage: " before what is searched.
_E5 = ModelProfile(prefix="query: ", languages=XLM_ROBERTA_LANGUAGES)
# In integers, ratings by e5-small move by a total variation of .007 (.01 was allowed) at 1.3 times the speed
# of `fast`; those by MiniLM move by .017 (docs/benchmarks.md). Other weights were not measured.
E5_SMALL_PROFILE = replace(_E5, reads_emoji=True, random_cosines=CosineBand(0.743, 0.789, 0.840), turbo=True)

HUB_PROFILES = {
    "sentence-transformers/all-MiniLM-L6-v2": MINILM_PROFILE,
    "intfloat/multilingual-e5-small": replace(E5_SMALL_PROFILE, turbo=False),
    "intfloat/multilingual-e5-base": _E5,
    "intfloat/multilingual-e5-large": _E5,
    # Models of entailment, which read the languages of the encoders that they were made of.
    "cross-encoder/nli-MiniLM2-L6-H768": ModelProfile(languages=ENGLISH),
    "MoritzLaurer/multilingual-MiniLMv2-L6-mnli-xnli": ModelProfile(languages=XLM_ROBERTA_LANGUAGES),
}
"""Profiles by the model's name on the Hugging Face hub.

References:
    Wang et al. 2024, Multilingual E5 text embeddings, arXiv:2402.05672.
"""


def hub_profile(name: str) -> ModelProfile | None:
    """Find the profile of a model on the hub, with or without a revision in its name.

    Example:
        >>> hub_profile("intfloat/multilingual-e5-base@main").prefix
        'query: '
        >>> hub_profile("somebody/something") is None
        True
    """
    return HUB_PROFILES.get(name.partition("@")[0])
