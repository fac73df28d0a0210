"""Insertion of a negation at a finite verb of an English sentence, for the damage "negate"."""

from semscale.damage.sentences import Sentence
from semscale.damage.verbs import Form, finite_form, is_participle, word_class

_ENDINGS = {"re": "are", "m": "am", "ll": "will", "ve": "have"}
_HAVE = {"have": "do not have", "has": "does not have", "had": "did not have"}
_DO = {"do": "do not do", "does": "does not do", "did": "did not do"}


def denied(sentence: Sentence, at: int) -> str | None:
    """Insert a negation at a word.

    Returns:
        The whole sentence; ``None`` if the word is not clearly a finite verb.

    Example:
        >>> denied(Sentence("This shows it."), 1), denied(Sentence("This shows it."), 0)
        ('This does not show it.', None)
    """
    if sentence.after(at).startswith(","):
        return None
    for rule in (_contraction, _auxiliary, _have, _do, _request, _full_verb):
        changed = rule(sentence, at)
        if changed is not None:
            return changed
    return None


def _contraction(sentence: Sentence, at: int) -> str | None:
    """Write "it is not" for "it's"."""
    word, after = sentence.word(at), sentence.word(at + 1)
    stem, apostrophe, ending = word.partition("'")
    full = _ENDINGS.get(ending)
    if ending == "s" and stem in word_class("before_s"):
        full = "has" if after in {"been", "had", "become", "gotten"} else "is"
    if ending == "d" and after:
        full = "had" if is_participle(after) else "would"
    if not apostrophe or full is None:
        return None
    return f"{sentence.before(at)}{sentence.spans[at].group()[: len(stem)]} {full} not{sentence.after(at)}"


def _auxiliary(sentence: Sentence, at: int) -> str | None:
    """Write "is not" for "is" and "cannot" for "can"."""
    word, before = sentence.word(at), sentence.word(at - 1)
    if word not in word_class("be") | word_class("modal"):
        return None
    if word in word_class("also_noun") and before in word_class("not_before_a_verb"):
        return None
    if sentence.word(at + 1) in word_class("person"):  # inverted: "so can they"
        person = sentence.spans[at + 1].group()
        return sentence.put(at, f"{word} {person} not", words=2)
    return sentence.put(at, "cannot" if word == "can" else f"{word} not")


def _have(sentence: Sentence, at: int) -> str | None:
    """Write "has not" for "has" before a participle, and "does not have" elsewhere."""
    word = sentence.word(at)
    if word not in _HAVE or sentence.word(at - 1) == "to":
        return None
    after, later = sentence.word(at + 1), sentence.word(at + 2)
    is_adverb = after.endswith("ly") or after in word_class("adverb")
    is_perfect = is_participle(after) or (is_adverb and is_participle(later))
    return sentence.put(at, f"{word} not" if is_perfect else _HAVE[word])


def _do(sentence: Sentence, at: int) -> str | None:
    """Write "does not" for "does" before a verb, and "does not do" before an object."""
    word, after = sentence.word(at), sentence.word(at + 1)
    if word not in _DO:
        return None
    form = finite_form(after)
    if after == "have" or (form is not None and form.helper == "do"):
        return sentence.put(at, f"{word} not")
    return sentence.put(at, _DO[word]) if after in word_class("follows_a_verb") else None


def _request(sentence: Sentence, at: int) -> str | None:
    """Write "Do not add" for "Add" if the verb begins the sentence or follows its opening."""
    word = sentence.word(at)
    if word not in word_class("imperative") or sentence.word(at + 1) in {"of", "is", "are", "was"}:
        return None
    before = sentence.before(at).rstrip()
    opens = not before or before[-1] in ",:;•-*"
    follows = all(sentence.word(back) in word_class("intro") for back in range(at))
    return sentence.put(at, f"do not {word}") if opens or follows else None


def _full_verb(sentence: Sentence, at: int) -> str | None:
    """Write "does not show" for "shows" if the words beside it show that it is a verb."""
    form = finite_form(sentence.word(at))
    if form is None or not _IS_VERB[form.helper](sentence, at, form):
        return None
    return sentence.put(at, f"{form.helper} not {form.base}")


def _follows_subject(sentence: Sentence, at: int) -> bool:
    """Tell whether a subject pronoun precedes the word, possibly with an adverb between them."""
    before = sentence.word(at - 1)
    return before in word_class("subject") or (
        before.endswith("ly") and sentence.word(at - 2) in word_class("subject")
    )


def _has_object(sentence: Sentence, at: int) -> bool:
    return sentence.word(at + 1) in word_class("follows_a_verb") and sentence.word(at - 1) not in word_class(
        "not_before_a_verb"
    )


def _is_third_person(sentence: Sentence, at: int, form: Form) -> bool:
    if not form.is_noun_like:
        return sentence.word(at - 1) not in word_class("not_before_a_verb")
    starts = not sentence.before(at).strip()
    return starts or _follows_subject(sentence, at) or _has_object(sentence, at)


def _is_past(sentence: Sentence, at: int, form: Form) -> bool:  # noqa: ARG001 - asked as the others are
    return _follows_subject(sentence, at) or (at > 0 and _has_object(sentence, at))


def _is_base(sentence: Sentence, at: int, form: Form) -> bool:  # noqa: ARG001 - asked as the others are
    before = sentence.word(at - 1)
    if before in {"i", "you", "we", "they", "who"}:
        return True
    if before.endswith("ly"):
        return sentence.word(at - 2) in word_class("subject")
    is_plural = before.endswith("s") and not before.endswith(("ss", "'s", "us", "is", "as"))
    return is_plural and _has_object(sentence, at)


_IS_VERB = {"does": _is_third_person, "did": _is_past, "do": _is_base}
