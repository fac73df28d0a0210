"""Pairs of a prediction and a reference: their scores, languages and findings."""

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from semscale.embedding.languages.identification import has_enough_letters, identifier_name
from semscale.embedding.languages.language_names import ENGLISH
from semscale.embedding.languages.other_languages import in_other_languages
from semscale.embedding.languages.text_language import language_of
from semscale.errors import InputError
from semscale.guards.findings import Finding
from semscale.guards.registry import Guards, Mode
from semscale.signature import Signature
from semscale.store.columns import as_list, text_status
from semscale.types import Floats, Integers, Mask, ObjectArray, Progress, Status
from semscale.weights.model_lookup import languages_read


@dataclass(frozen=True)
class Pairs:
    """The p pairs of n items, each of a prediction and one of its references.

    Attributes:
        texts: the m distinct texts of all pairs, numbered by first appearance.
        prediction: shape (p,), which text is the prediction.
        reference: shape (p,), which text is the reference.
        item: shape (p,), whose pair it is; ascending.
        place: shape (p,), which of the item's references it is, counted from 0.
        status: shape (n,), ``SCORED`` for items that have at least one pair.
    """

    texts: list[str]
    prediction: Integers
    reference: Integers
    item: Integers
    place: Integers
    status: npt.NDArray[np.object_]

    @property
    def n_items(self) -> int:
        """How many items there are, with or without pairs."""
        return len(self.status)


def pair_up(predictions: object, references: object) -> Pairs:
    """Form the pairs of items.

    Args:
        predictions: shape (n,), a list or a series.
        references: shape (n,), each a text or a list of texts. Of several references those that are missing,
            empty or no text are passed over as long as one is left.

    Raises:
        InputError: something other than lists, lists of unequal length, or a set of references.

    Example:
        >>> pairs = pair_up(["Paris", None], [["Paris", "the city of Paris"], "Rome"])
        >>> pairs.prediction.tolist(), pairs.reference.tolist(), [str(status) for status in pairs.status]
        ([0, 0], [0, 1], ['scored', 'missing'])
    """
    given, wanted = as_list(predictions, "predictions"), as_list(references, "references")
    if len(given) != len(wanted):
        raise InputError(
            f"predictions and references must have equal lengths, got {len(given)} predictions "
            f"and {len(wanted)} references"
        )
    numbers: dict[str, int] = {}
    rows: list[tuple[int, int, int, int]] = []
    status = np.full(len(given), Status.SCORED, dtype=object)
    for item, (prediction, cell) in enumerate(zip(given, wanted, strict=True)):
        usable, said = usable_references(cell), text_status(prediction)
        status[item] = Status.NO_REFERENCE if said is Status.SCORED and not usable else said
        if status[item] is Status.SCORED:
            first = numbers.setdefault(prediction, len(numbers))
            rows += [(first, numbers.setdefault(text, len(numbers)), item, at) for at, text in usable]
    prediction_of, reference_of, owner, place = np.array(rows, np.int64).reshape(-1, 4).T.copy()
    return Pairs(list(numbers), prediction_of, reference_of, owner, place, status)


def best_pairs(score: Floats, item: Integers) -> Integers:
    """Give each item's pair with the highest score; the first of several equal ones.

    Args:
        score: shape (p,).
        item: shape (p,), whose pair it is; ascending.

    Returns:
        Shape (items that have pairs,), row numbers of pairs, ascending.

    Example:
        >>> best_pairs(np.array([0.2, 0.9, 0.9, 0.4]), np.array([0, 0, 0, 2])).tolist()
        [1, 3]
    """
    order = np.lexsort((np.arange(len(item)), -score, item))
    return order[np.flatnonzero(np.diff(item, prepend=-1))]


def usable_references(cell: object) -> list[tuple[int, str]]:
    """List one item's references that are texts with something in them, each with its place, from 0.

    Raises:
        InputError: a cell with something other than one list.
    """
    if isinstance(cell, Set):
        raise InputError(
            f"references must be texts or lists of texts, which have an order, got {type(cell).__name__}"
        )
    listed = isinstance(cell, Sequence | np.ndarray) and not isinstance(cell, str | bytes)
    references = as_list(cell, "references") if listed else [cell]
    return [(at, text) for at, text in enumerate(references) if text_status(text) is Status.SCORED]


@dataclass(frozen=True)
class ScoredPairs:
    """Scores of p pairs.

    Attributes:
        score: shape (p,).
        components: parts of the score, by name, each of shape (p,).
        windows: shape (p,), the most windows that one of the two texts was read in.
        signature: the settings that were applied.
        bounds: the least and the greatest score that the method can give.
        weighs_findings: whether findings of guards lower the scores.
        unread: shape (p,), whether the model cannot read one of the two texts; ``None`` where it
            can read all.
    """

    score: Floats
    components: Mapping[str, Floats]
    windows: Integers
    signature: Signature
    bounds: tuple[float, float] = (0.0, 1.0)
    weighs_findings: bool = False
    unread: Mask | None = None


def guards_read(prediction: str, reference: str) -> bool:
    """Tell whether guards look at a pair: they read English, and texts whose language is not clear.

    Example:
        >>> guards_read("It is safe.", "It is not safe."), guards_read("Das ist sicher.", "It is not safe.")
        (True, False)
    """
    return all(language_of(text) in {None, ENGLISH} for text in (prediction, reference))


def with_identifier(signature: Signature) -> Signature:
    """Add what identifies languages to the settings of something that depends on them, unless it is there.

    Example:
        >>> named = with_identifier(with_identifier(Signature.of("match")))
        >>> [(name, value.partition("-")[0]) for name, value in named.fields]
        [('language', 'any+py3langid')]
    """
    if "language" in dict(signature.fields):
        return signature
    return signature.extended(Signature.of("language", language=f"any+{identifier_name()}"))


def with_guards(signature: Signature, guards: Guards) -> Signature:
    """Add guards to the settings of a match, and what identifies the languages in which they look.

    Example:
        >>> from semscale.guards.registry import GUARDS
        >>> off = Guards(dict.fromkeys(GUARDS, "off"))
        >>> dict(with_guards(Signature.of("match"), off).fields)
        {'findings': 'none'}
    """
    signed = signature.extended(guards.signature)
    looking = any(mode is not Mode.OFF for mode in guards.modes.values())
    return with_identifier(signed) if looking else with_read_languages(signed)


def with_read_languages(signature: Signature) -> Signature:
    """Add what identifies languages where it is known which ones the model reads: others have no score."""
    return with_identifier(signature) if languages_read(signature) else signature


def are_across(prediction: str, reference: str, languages: frozenset[str]) -> bool:
    """Tell whether two texts are in different languages, both of which the model reads.

    Their words have no equals then, and only the texts as wholes can be compared.

    Args:
        prediction: one text.
        reference: the other one.
        languages: that the model reads.

    Example:
        >>> are_across("Das ist nicht sicher.", "It is not safe.", frozenset({"de", "en"}))
        True
        >>> are_across("Das ist nicht sicher.", "It is not safe.", frozenset({"en"}))
        False
    """
    if len(languages) <= 1:
        return False
    ours, theirs = language_of(prediction), language_of(reference)
    return ours != theirs and ours in languages and theirs in languages


_FEWEST_WORDS, _FEWEST_SMALL = 4, 2


_AFTER_LATIN = "\u0250"  # where the Latin letters end


def in_other_language(pairs: Pairs, *signatures: Signature) -> Mask:
    """Say which pairs have a text that is surely in a language that a model does not read, shape (p,).

    Nothing is said of texts that are too short to show their language, nor of those that may be names or
    titles: those in Latin letters with fewer than four words, or with fewer than two words in small letters,
    and those of a word or two in another script.

    Args:
        pairs: p pairs.
        signatures: of the models that read them. Of a model of which it is not known what it reads, nothing
            is said.
    """
    unread = np.zeros(len(pairs.texts), np.bool_)
    known = [signature for signature in signatures if languages_read(signature)]
    if known:
        places = [place for place, text in enumerate(pairs.texts) if not may_be_name(text)]
        texts = [pairs.texts[place] for place in places]
        languages: ObjectArray = np.full(len(texts), None, dtype=object)
        languages[:] = [language_of(text) for text in texts]
        for signature in known:
            unread[places] |= in_other_languages(texts, languages, signature)
    return unread[pairs.prediction] | unread[pairs.reference]


def may_be_name(text: str) -> bool:
    """Say whether a text may be a name or a title, whose language says nothing about who reads it.

    Example:
        >>> may_be_name("Søren Kierkegaard"), may_be_name("Der Name der Rose"), may_be_name("Цюрих")
        (True, True, True)
        >>> may_be_name("Das ist nicht sicher."), may_be_name("不是很好吃，太贵了")
        (False, False)
    """
    letters = [sign for sign in text if sign.isalpha()]
    if 2 * sum(sign < _AFTER_LATIN for sign in letters) <= len(letters):
        return not has_enough_letters(text)
    words = [word for word in text.split() if word[0].isalpha()]
    return len(words) < _FEWEST_WORDS or sum(word[0].islower() for word in words) < _FEWEST_SMALL


_REPORTED = 500


@dataclass(frozen=True)
class PairFindings:
    """What guards found in n items.

    Attributes:
        found: findings of each item, none for items without a pair.
        guarded: shape (n,), which items have a pair that guards looked at; they read English alone.
    """

    found: tuple[tuple[Finding, ...], ...]
    guarded: Mask


def find_in_pairs(
    pairs: Pairs, rows: Integers, guards: Guards, progress: Progress | None = None
) -> PairFindings:
    """Let guards look at some pairs, at most one an item; pairs that are not in English are passed over.

    Args:
        pairs: the pairs of n items.
        rows: numbers of the pairs to check.
        guards: the guards.
        progress: called as pairs are looked at.
    """
    found: list[tuple[Finding, ...]] = [()] * pairs.n_items
    guarded = np.zeros(pairs.n_items, np.bool_)
    for done, row in enumerate(rows.tolist()):
        prediction, reference = pairs.texts[pairs.prediction[row]], pairs.texts[pairs.reference[row]]
        if guards_read(prediction, reference):
            guarded[pairs.item[row]] = True
            found[pairs.item[row]] = tuple(guards.check(prediction, reference))
        if progress and done % _REPORTED == 0:
            progress("looking for findings", done, len(rows))
    return PairFindings(tuple(found), guarded)
