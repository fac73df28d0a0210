"""Anchors of a scale for a model: their vectors, sets and languages, and the off-topic floor."""

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
from semscale.results.languages import (
    ENGLISH,
    identifier_name,
    identify_languages,
    is_plainly_english,
    language_of_script,
)
from semscale.scales import Scale, load_scale
from semscale.scales.library import equivalences, languages_in, list_passed_languages, load_passed_translation
from semscale.signature import Signature
from semscale.types import LANGUAGE_NAMES, Floats, Integers, Mask, ObjectArray
from semscale.weights.known import (
    DEFAULT_MODEL,
    DEFAULT_RATING_MODEL,
    languages_read,
    model_in_signature,
    model_name,
)

if TYPE_CHECKING:
    from semscale.embedding.embedder import Embedder


FLOOR_GROUPS = ("everyday", "factual")

FLOOR_QUANTILE = 0.5
"""Share of unrelated sentences below the floor; ``bench/floor.py`` compares other quantiles."""

MODEL_FLOOR_QUANTILES = {DEFAULT_MODEL: 0.15}
"""Quantiles of models that need a lower one to leave out at most 5 % of the texts that people rated.

Cosines of all-MiniLM-L6-v2 follow the subject of a text more than those of e5-small: an opinion on a subject
that no anchor is about is hardly nearer to the anchors than to unrelated sentences.
"""

NEAREST_UNRELATED = 3
"""Number of nearest unrelated sentences in the mean cosine that best anchors are compared with."""

_DECIMALS = 3

AUTO = "auto"

SENTIMENT_SCALE = "quality"
"""Scale of the library that rates plain sentiment."""


class AnchorLanguages:
    """The anchors of a scale in all languages that can rate texts.

    Args:
        scale: scale with the sets that are used.
        language: ``None`` for the scale's own anchors; ``auto`` for anchors of each text's own language; or
            an ISO 639-1 code, for anchors of that language for all texts. If a translation has not passed its
            check with the model, the scale's own anchors are used.
        model: name of the known model that rates; ``None`` for other models, for which no translation is
            checked.

    Attributes:
        language: as in the arguments.
        scale: rates texts of all languages without translated anchors.
        translations: languages whose texts are rated with translated anchors.
        untranslated: the scale without translation. Its anchors decide what is off topic in every language,
            as anchors in the language of a text are similar to all texts in that language.
    """

    def __init__(self, scale: Scale, language: str | None, model: str | None = None) -> None:
        self.language = language
        self.scale = self.untranslated = scale
        self.translations: tuple[str, ...] = ()
        if language == AUTO:
            self.translations = list_passed_languages(scale, model)
        elif language != scale.language and language in list_passed_languages(scale, model):
            self.scale = load_passed_translation(scale, str(language))

    @property
    def is_fallback(self) -> bool:
        """True if the scale's own anchors replace requested ones that have not passed their check."""
        return not identifies(self.language) and self.language != self.scale.language

    def settings(self) -> dict[str, str]:
        """Name the languages and the anchors' content hash, for the signature."""
        identified = f"{self.language or 'any'}+{identifier_name()}"
        chosen = {"language": identified if identifies(self.language) else str(self.language)}
        if self.translations:
            names = "+".join(map(self._name_language, self.translations))
            return chosen | {"translations": f"{names}#{self._content_hash()}"}
        if self.language == AUTO:
            return chosen | {"translations": "none"}
        return chosen | {"anchor_language": self.scale.language} if self.is_fallback else chosen

    def translation(self, code: str) -> Scale:
        """Return the scale with the anchors of one of ``translations`` and the sets that passed in it."""
        return load_passed_translation(self.scale, code)

    def _name_language(self, code: str) -> str:
        """Name a language, and its sets if not all translated ones are used."""
        measured = equivalences(self.scale.name)[code]
        sets = measured.serving_sets(self.scale)
        return code if len(sets) == len(measured.english_sets) else f"{code}({','.join(sets)})"

    def _content_hash(self) -> str:
        """Hash of the translations' content hashes, 8 hexadecimal digits."""
        measured = equivalences(self.scale.name)
        hashes = "+".join(measured[code].translated for code in self.translations)
        return hashlib.sha256(hashes.encode()).hexdigest()[:8]


def identifies(language: str | None) -> bool:
    """Return whether each text's language is identified, instead of stated for all texts."""
    return language in {None, AUTO}


def language_setting(signature: Signature) -> str | None:
    """Return the language that the user states for all texts; ``None`` if languages are identified."""
    language = dict(signature.fields).get("language", "")
    return language if language in LANGUAGE_NAMES else None


def check_language(scale: Scale, language: str | None) -> None:
    """Check that a scale has anchors in a language.

    Raises:
        InputError: neither ``None`` nor ``auto`` nor a language of the scale's anchors.
    """
    if identifies(language):
        return
    known = [scale.language, *languages_in(scale)]
    if language not in known:
        choices = ", ".join([AUTO, *known])
        name = LANGUAGE_NAMES.get(str(language))
        lacking = f"; {scale.name!r} has no anchors in {name}" if name else ""
        raise InputError("language", f"must be one of {choices}, got {language!r}{lacking}")


class AnchorVectors:
    """Vectors and floor of a scale's anchors, computed on first use.

    Args:
        scale: s anchor sets of k sentences each.
        embedder: returns the embedder.
        floor: as in ``RaterSettings``.
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
        """As in ``Ratings.floor``: a cosine, or for ``auto`` a difference of two; ``None`` for no floor.

        For ``auto``, each of the shipped everyday and factual sentences in the language of the anchors has a
        difference: its cosine with the most similar anchor of each set, mean over the sets, minus the mean
        cosine with the three nearest of the other sentences. The floor is the quantile ``FLOOR_QUANTILE`` of
        these, or that of the model, rounded to three decimals, so that small differences between machines do
        not change it. Gibberish and don't-know answers are not used, as gibberish is a little similar to
        everything and don't-know answers to the middle points.

        Raises:
            ModelError: the model cannot be run.
        """
        if not isinstance(self._floor, str):
            return self._floor
        if self._floor != AUTO:
            return float(self._floor.removeprefix(UNRELATED))
        best = mean_best_similarities(self.unrelated, self.vectors)
        differences = best - _nearest_unrelated(self.unrelated, self.unrelated, but_itself=True)
        known = model_in_signature(self._embedder().signature)
        quantile = MODEL_FLOOR_QUANTILES.get(known.name if known else "", FLOOR_QUANTILE)
        return round(float(np.quantile(differences, quantile)), _DECIMALS)

    @cached_property
    def unrelated(self) -> Reals:
        """Vectors of the shipped unrelated sentences."""
        return self._embedder().embed(unrelated_sentences(self.scale.language)).vectors

    def off_topic(self, vectors: npt.ArrayLike, best_similarity: Floats) -> Mask:
        """Mark texts whose best anchors are below the floor.

        Args:
            vectors: shape (n, d), vectors of texts.
            best_similarity: shape (n,), cosines with the most similar anchor, for a floor that is a cosine.
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
    """Anchors of a scale and their translations, by language of the texts; computed on first use.

    Args:
        scale: scale with all sets; those chosen for the embedder's model are used.
        language: as in ``AnchorLanguages``.
        embedder: returns the embedder.
        floor: as in ``RaterSettings``.

    Raises:
        InputError: the scale has no anchors in the language.
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
        """Anchors by language of the texts."""
        if not self._scale.sets_by_model and self._language in {None, self._scale.language}:
            # They hold for any model, which need not be loaded.
            return AnchorLanguages(self._scale, self._language)
        embedder = self._embedder()
        model = model_in_signature(embedder.signature)
        served = scale_for_model(self._scale, embedder)
        return AnchorLanguages(served, self._language, model.name if model else None)

    @cached_property
    def main(self) -> AnchorVectors:
        """Anchors of texts in languages without translated anchors."""
        return self._vectors(self.languages.scale)

    @cached_property
    def topic(self) -> AnchorVectors:
        """The anchors that decide whether a text is off topic: the untranslated ones for every language."""
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

    def for_language(self, language: str | None) -> AnchorVectors:
        """Return the anchors of texts in a language."""
        return self.main if language is None else self._translated.get(language, self.main)

    def _vectors(self, scale: Scale) -> AnchorVectors:
        return AnchorVectors(scale, self._embedder, self._floor)


def scale_for_model(scale: Scale, embedder: "Embedder") -> Scale:
    """Return the scale with the anchor sets chosen for an embedder's model.

    Args:
        scale: scale whose ``sets_by_model`` may choose sets for models.
        embedder: embedder whose signature names the model, also by its name on the hub.

    Returns:
        The scale with the sets for the model, in the order of the list. For a model that the scale does not
        name, the sets of the default model of ratings are used, because sets of several models share
        sentences, which would count twice; without these, all sets.
    """
    known = model_in_signature(embedder.signature)
    names = ([known.name] if known else []) + [model_name(embedder.signature), DEFAULT_RATING_MODEL]
    return scale.for_model(next((name for name in names if name in scale.sets_by_model), names[-1]))


def _nearest_unrelated(rows: Reals, unrelated: Reals, *, but_itself: bool = False) -> Floats:
    """Mean cosine of rows (n, d) with the unrelated sentences (m, d) nearest to each, shape (n,).

    Args:
        rows: vectors of texts.
        unrelated: vectors of any length above 0.
        but_itself: whether the rows are the unrelated sentences, each compared with the others only.
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
    """Return sentences unrelated to any survey question, by group: everyday, factual, gibberish, dont-know.

    Args:
        language: ISO 639-1 code; English if there is no translation. Only everyday and factual are
            translated.

    Examples:
        >>> sorted(unrelated_probes())
        ['dont-know', 'everyday', 'factual', 'gibberish']
    """
    english = resources.files("semscale.rating") / "unrelated_sentences.yaml"
    file = english if language_of_probes(language) == ENGLISH else _translation(language)
    groups = yaml.safe_load(file.read_text(encoding="utf-8"))
    return {group: tuple(texts) for group, texts in groups.items() if isinstance(texts, list)}


def unrelated_sentences(language: str = ENGLISH) -> tuple[str, ...]:
    """List the shipped everyday and factual sentences, each about a different subject.

    Args:
        language: ISO 639-1 code; the sentences are English if there is no translation.

    Examples:
        >>> len(unrelated_sentences()), unrelated_sentences("de")[0]
        (50, 'Der Bus zum Hafen fährt von Bahnsteig sechs.')
    """
    return tuple(sentence for group in FLOOR_GROUPS for sentence in unrelated_probes(language)[group])


def language_of_probes(language: str) -> str:
    """Return the language of the unrelated sentences for a language: itself, or English if untranslated.

    Examples:
        >>> language_of_probes("de"), language_of_probes("fi")
        ('de', 'en')
    """
    return language if _translation(language).is_file() else ENGLISH


def _translation(language: str) -> Traversable:
    return resources.files("semscale.scales") / "translations" / language / "unrelated.yaml"


def text_languages(texts: Sequence[str], stated: str | None = None) -> ObjectArray:
    """Identify the language of each text, shape (n,): an ISO 639-1 code, or ``None`` if it is not clear.

    Args:
        texts: n texts.
        stated: the language of all texts, if the user states it; then none is identified.
    """
    languages = np.full(len(texts), stated, dtype=object)
    if stated is None:
        unclear = [row for row, text in enumerate(texts) if not is_plainly_english(text)]
        languages[:] = ENGLISH
        identified = identify_languages([texts[row] for row in unclear])
        languages[unclear] = [
            code or language_of_script(texts[row]) for row, code in zip(unclear, identified, strict=True)
        ]
    return languages


def check_reads(signature: Signature, language: str) -> None:
    """Check that an embedder's model is not known to lack a language.

    Raises:
        InputError: the model does not read it.
    """
    read = languages_read(signature)
    if read and language not in read:
        name = LANGUAGE_NAMES.get(language, language)
        raise InputError(
            "language",
            f"is {language!r}, but {model_name(signature)} does not read {name}: use a model that does",
        )
