"""Anchors of a scale as a model sees them: vectors, sets and languages that serve, the off-topic floor."""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from functools import cache, cached_property
from importlib import resources
from importlib.resources.abc import Traversable
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import yaml

from semscale.embedding.embedder import anchor_embedder
from semscale.embedding.languages import (
    ENGLISH,
    identified_languages,
    identifier_name,
    is_plainly_english,
    language_of_script,
)
from semscale.errors import InputError
from semscale.rating.readouts import (
    Reals,
    as_rows,
    best_similarities,
    cosines_of,
    mean_best_similarities,
    row_blocks,
    sum_in_order,
)
from semscale.rating.settings import UNRELATED
from semscale.scales import Scale, load_scale
from semscale.scales.library import equivalences, languages_in, passed_languages, passed_translation
from semscale.signature import Signature
from semscale.types import LANGUAGE_NAMES, Floats, Integers, Mask, ObjectArray
from semscale.weights.known import (
    DEFAULT_MODEL,
    DEFAULT_RATING_MODEL,
    known_model,
    languages_read,
    model_name,
)

if TYPE_CHECKING:
    from semscale.embedding.embedder import Embedder


FLOOR_GROUPS = ("everyday", "factual")

FLOOR_QUANTILE = 0.5
"""Half of the unrelated sentences fall below the floor; ``bench/floor.py`` tries other quantiles."""

MODEL_FLOOR_QUANTILES = {DEFAULT_MODEL: 0.15}
"""Quantiles of models that need another one to leave out at most 5 % of the texts that people rated.

Cosines of all-MiniLM-L6-v2 follow the subject of a text more than those of e5-small: an opinion on a subject
that no anchor is about is hardly nearer to the anchors than to unrelated sentences.
"""

NEAREST_UNRELATED = 3
"""Unrelated sentences whose mean cosine with a text its best anchors are compared with."""

_DECIMALS = 3

AUTO = "auto"

SENTIMENT_SCALE = "quality"
"""Scale of the library that rates plain sentiment."""


class AnchorLanguages:
    """The anchors of a scale in all languages that they may be taken from.

    Args:
        scale: the scale, with the sets that are used.
        language: ``None`` for the scale's own anchors; ``auto`` for anchors of each text's own language; or
            an ISO 639-1 code, for anchors of that language for all texts. Where a translation has not passed
            its check with the model, the scale's own serve.
        model: name of the known model that rates; ``None`` for any other one, which no translation serves.

    Attributes:
        language: as given.
        scale: rates texts of all languages without translated anchors.
        translations: languages whose texts translated anchors rate.
        untranslated: the scale as given; its anchors tell what is off topic in every language, as those of
            a text's own language are near all texts in it.
    """

    def __init__(self, scale: Scale, language: str | None, model: str | None = None) -> None:
        self.language = language
        self.scale = self.untranslated = scale
        self.translations: tuple[str, ...] = ()
        if language == AUTO:
            self.translations = passed_languages(scale, model)
        elif language != scale.language and language in passed_languages(scale, model):
            self.scale = passed_translation(scale, str(language))

    @property
    def fell_back(self) -> bool:
        """True if the scale's own anchors serve because those that were asked for have not passed."""
        return not identifies(self.language) and self.language != self.scale.language

    def settings(self) -> dict[str, str]:
        """Name the languages and the anchors' content hash, for the signature."""
        identified = f"{self.language or 'any'}+{identifier_name()}"
        chosen = {"language": identified if identifies(self.language) else str(self.language)}
        if self.translations:
            names = "+".join(map(self._named, self.translations))
            return chosen | {"translations": f"{names}#{self._content_hash()}"}
        if self.language == AUTO:
            return chosen | {"translations": "none"}
        return chosen | {"anchor_language": self.scale.language} if self.fell_back else chosen

    def translation(self, code: str) -> Scale:
        """Return the scale with the anchors of one of ``translations``, and the sets that passed in it."""
        return passed_translation(self.scale, code)

    def _named(self, code: str) -> str:
        """Name a language, and its sets where some of the translated ones do not serve."""
        measured = equivalences(self.scale.name)[code]
        sets = measured.serving_sets(self.scale)
        return code if len(sets) == len(measured.english_sets) else f"{code}({','.join(sets)})"

    def _content_hash(self) -> str:
        """Eight hex digits over the translations' content hashes; the files themselves are not read."""
        measured = equivalences(self.scale.name)
        hashes = "+".join(measured[code].translated for code in self.translations)
        return hashlib.sha256(hashes.encode()).hexdigest()[:8]


def identifies(language: str | None) -> bool:
    """Say whether each text's language is identified, rather than known beforehand."""
    return language in {None, AUTO}


def stated_language(signature: Signature) -> str | None:
    """Return the language that the user states for all texts; ``None`` where languages are identified."""
    language = dict(signature.fields).get("language", "")
    return language if language in LANGUAGE_NAMES else None


def check_language(scale: Scale, language: str | None) -> None:
    """Refuse a language that a scale has no anchors in.

    Raises:
        InputError: neither ``None`` nor ``auto`` nor a language that the scale's anchors are in.
    """
    if identifies(language):
        return
    known = [scale.language, *languages_in(scale)]
    if language not in known:
        choices = ", ".join([AUTO, *known])
        name = LANGUAGE_NAMES.get(str(language))
        lacking = f"; {scale.name!r} has no anchors in {name}" if name else ""
        raise InputError(f"language must be one of {choices}, got {language!r}{lacking}")


class AnchorVectors:
    """Vectors and floor of a scale's anchors, made when they are first needed.

    Args:
        scale: s anchor sets of k sentences each.
        embedder: gives the embedder.
        floor: as ``RaterSettings`` has it.
    """

    def __init__(self, scale: Scale, embedder: "Callable[[], Embedder]", floor: str | float | None) -> None:
        self.scale = scale
        self._embedder = embedder
        self._floor = floor

    @cached_property
    def vectors(self) -> Floats:
        """Vectors of the anchors, shape (s, k, d)."""
        sentences = [sentence for anchors in self.scale.anchor_sets.values() for sentence in anchors]
        vectors = anchor_embedder(self._embedder()).embed(sentences).vectors.astype(np.float64)
        return vectors.reshape(len(self.scale.anchor_sets), self.scale.n_points, -1)

    @cached_property
    def floor(self) -> float | None:
        """As ``Ratings.floor``: a cosine, or for ``auto`` a difference of two; ``None`` for no floor.

        For ``auto``, each of the shipped everyday and factual sentences in the language of the anchors has a
        difference: its cosine with the most similar anchor of each set, mean over the sets, less the mean
        cosine with the three nearest of the other sentences. The floor is the quantile ``FLOOR_QUANTILE`` of
        these, or that of the model, to three decimals, so that machines whose vectors differ slightly agree
        on it. Gibberish resembles everything a little and don't-know answers resemble the middle points, so
        neither is among the sentences.

        Raises:
            ModelError: the model cannot be run.
        """
        if not isinstance(self._floor, str):
            return self._floor
        if self._floor != AUTO:
            return float(self._floor.removeprefix(UNRELATED))
        best = mean_best_similarities(self.unrelated, self.vectors)
        differences = best - _nearest_unrelated(self.unrelated, self.unrelated, but_itself=True)
        known = known_model(self._embedder().signature)
        quantile = MODEL_FLOOR_QUANTILES.get(known.name if known else "", FLOOR_QUANTILE)
        return round(float(np.quantile(differences, quantile)), _DECIMALS)

    @cached_property
    def unrelated(self) -> Reals:
        """Vectors of the shipped sentences that answer no survey question."""
        return self._embedder().embed(unrelated_sentences(self.scale.language)).vectors

    def off_topic(self, vectors: npt.ArrayLike, best_similarity: Floats) -> Mask:
        """Mark texts whose best anchors are below the floor.

        Args:
            vectors: shape (n, d), of texts.
            best_similarity: shape (n,), their cosines with the most similar anchor, for a floor that is a
                cosine.
        """
        if self.floor is None:
            return np.zeros(len(best_similarity), np.bool_)
        compared = best_similarity
        if isinstance(self._floor, str):
            rows = as_rows(vectors)
            compared = mean_best_similarities(rows, self.vectors) - _nearest_unrelated(rows, self.unrelated)
        marked: Mask = compared < self.floor
        return marked


class AppliedAnchors:
    """A scale's own anchors, and translated ones for texts of their languages; made when first needed.

    Args:
        scale: with all sets that may be used; of these, those that serve the embedder's model are.
        language: as ``AnchorLanguages`` takes it.
        embedder: gives the embedder.
        floor: as ``RaterSettings`` has it.

    Raises:
        InputError: a language that the scale has no anchors in.
    """

    def __init__(
        self,
        scale: Scale,
        language: str | None,
        embedder: "Callable[[], Embedder]",
        floor: str | float | None,
    ) -> None:
        check_language(scale, language)
        self._scale = scale
        self._language = language
        self._embedder = embedder
        self._floor = floor

    @cached_property
    def languages(self) -> AnchorLanguages:
        """Anchors that rate the texts of each language."""
        if not self._scale.sets_by_model and self._language in {None, self._scale.language}:
            # They hold for any model, which need not be loaded.
            return AnchorLanguages(self._scale, self._language)
        embedder = self._embedder()
        model = known_model(embedder.signature)
        served = scale_for_model(self._scale, embedder)
        return AnchorLanguages(served, self._language, model.name if model else None)

    @cached_property
    def main(self) -> AnchorVectors:
        """Anchors of all texts whose language has no translated ones."""
        return self._vectors(self.languages.scale)

    @cached_property
    def topic(self) -> AnchorVectors:
        """The anchors that say whether a text is off topic: the scale's own, whatever language's rate it."""
        scale = self.languages.untranslated
        return self.main if scale is self.languages.scale else self._vectors(scale)

    @cached_property
    def sentiment(self) -> AnchorVectors | None:
        """The anchors of the shipped scale ``quality``; ``None`` for that scale."""
        if self._scale.name == SENTIMENT_SCALE:
            return None
        return self._vectors(scale_for_model(load_scale(SENTIMENT_SCALE), self._embedder()))

    @cached_property
    def _translated(self) -> dict[str, AnchorVectors]:
        languages = self.languages
        return {code: self._vectors(languages.translation(code)) for code in languages.translations}

    def by_language(self, languages: ObjectArray) -> Iterator[tuple[AnchorVectors, Integers]]:
        """Pair anchors with the texts that they rate, at least one.

        Args:
            languages: shape (n,), an ISO 639-1 code for each text, or ``None``.

        Yields:
            The anchors, and the indices of their texts, 0 to n - 1; each text once.
        """
        is_translated = np.isin(languages, self.languages.translations)
        if not is_translated.all():
            yield self.main, np.flatnonzero(~is_translated)
        for code in sorted(set(languages[is_translated])):
            yield self._translated[code], np.flatnonzero(languages == code)

    def _vectors(self, scale: Scale) -> AnchorVectors:
        return AnchorVectors(scale, self._embedder, self._floor)


def scale_for_model(scale: Scale, embedder: "Embedder") -> Scale:
    """Return the scale with the anchor sets that serve an embedder's model.

    Args:
        scale: it may say in ``sets_by_model`` which sets serve which model.
        embedder: its signature names the model. A known model is found under its name on the hub, too.

    Returns:
        The scale with the sets that serve the model, in the order in which they are listed. A model that the
        scale does not name has those of the default model of ratings, as sets of several models share
        sentences, which would count twice; where that is not named either, all sets.
    """
    known = known_model(embedder.signature)
    names = ([known.name] if known else []) + [model_name(embedder.signature), DEFAULT_RATING_MODEL]
    return scale.for_model(next((name for name in names if name in scale.sets_by_model), names[-1]))


def _nearest_unrelated(rows: Reals, unrelated: Reals, *, but_itself: bool = False) -> Floats:
    """Mean cosine of rows (n, d) with the unrelated sentences (m, d) nearest to each, shape (n,).

    Args:
        rows: of texts.
        unrelated: vectors of any length but 0.
        but_itself: whether the rows are the unrelated sentences, and each is compared with the others.
    """
    units = unrelated / np.linalg.norm(unrelated, axis=1, keepdims=True)
    nearest = np.empty(len(rows))
    for block in row_blocks(len(rows)):
        cosines = np.sort(cosines_of(rows[block], units[None].astype(rows.dtype))[0][0], axis=0)
        top = cosines[:-1] if but_itself else cosines
        nearest[block] = sum_in_order(top[-NEAREST_UNRELATED:].astype(np.float64)) / NEAREST_UNRELATED
    return nearest


def topic_similarities(scale: Scale, embedder: "Embedder", texts: list[str]) -> Floats:
    """Cosine of each text with the most similar anchor of any set, shape (n,)."""
    return best_similarities(
        embedder.embed(texts).vectors, AnchorVectors(scale, lambda: embedder, None).vectors
    )


@cache
def unrelated_probes(language: str = ENGLISH) -> dict[str, tuple[str, ...]]:
    """Sentences that answer no survey question, by group: everyday, factual, gibberish, dont-know.

    Args:
        language: ISO 639-1 code; English, where there is no translation. Translated are everyday and factual.

    Examples:
        >>> sorted(unrelated_probes())
        ['dont-know', 'everyday', 'factual', 'gibberish']
    """
    english = resources.files("semscale.rating") / "unrelated_sentences.yaml"
    file = english if language_of_probes(language) == ENGLISH else _translation(language)
    groups = yaml.safe_load(file.read_text(encoding="utf-8"))
    return {group: tuple(texts) for group, texts in groups.items() if isinstance(texts, list)}


def unrelated_sentences(language: str = ENGLISH) -> tuple[str, ...]:
    """List the shipped everyday and factual sentences, of which no two are about the same thing.

    Args:
        language: ISO 639-1 code; the sentences are English where they are not translated into it.

    Examples:
        >>> len(unrelated_sentences()), unrelated_sentences("de")[0]
        (50, 'Der Bus zum Hafen fährt von Bahnsteig sechs.')
    """
    return tuple(sentence for group in FLOOR_GROUPS for sentence in unrelated_probes(language)[group])


def language_of_probes(language: str) -> str:
    """Give the language of the unrelated sentences that serve one: itself, or English without a translation.

    Examples:
        >>> language_of_probes("de"), language_of_probes("fi")
        ('de', 'en')
    """
    return language if _translation(language).is_file() else ENGLISH


def _translation(language: str) -> Traversable:
    return resources.files("semscale.scales") / "translations" / language / "unrelated.yaml"


def text_languages(texts: Sequence[str], stated: str | None = None) -> ObjectArray:
    """Identify the language of each text, shape (n,): an ISO 639-1 code, or ``None`` where it is not clear.

    Args:
        texts: n texts.
        stated: the language of all of them, where the user states it; none is identified then.
    """
    languages = np.full(len(texts), stated, dtype=object)
    if stated is None:
        unclear = [row for row, text in enumerate(texts) if not is_plainly_english(text)]
        languages[:] = ENGLISH
        identified = identified_languages([texts[row] for row in unclear])
        languages[unclear] = [
            code or language_of_script(texts[row]) for row, code in zip(unclear, identified, strict=True)
        ]
    return languages


def check_reads(signature: Signature, language: str) -> None:
    """Refuse a language that an embedder's model is known not to read.

    Raises:
        InputError: the model does not read it.
    """
    read = languages_read(signature)
    if read and language not in read:
        name = LANGUAGE_NAMES.get(language, language)
        raise InputError(
            f"language is {language!r}, but {model_name(signature)} does not read {name}: "
            "use a model that does"
        )
