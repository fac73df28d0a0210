"""Rules that change English texts: negate sentences, change numbers, truncate, and paraphrase."""

import math
import re
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any, Literal

import numpy as np

from semscale.guards.words import read_lexicon
from semscale.matching.entailment import sentences_of

_WORD = re.compile(r"[A-Za-z]+(?:['’][A-Za-z]+)?")


@dataclass(frozen=True)
class Sentence:
    """A sentence whose words can be read and replaced without changing the rest.

    Attributes:
        text: the sentence with its punctuation.
    """

    text: str

    @cached_property
    def spans(self) -> tuple[re.Match[str], ...]:
        """Matches of its words; a contraction is one word."""
        return tuple(_WORD.finditer(self.text))

    def word(self, at: int) -> str:
        """Return a word in lower case with straight apostrophes; "" beyond the ends of the sentence."""
        if not 0 <= at < len(self.spans):
            return ""
        return self.spans[at].group().lower().replace("’", "'")

    def before(self, at: int) -> str:
        """Return the text before a word."""
        return self.text[: self.spans[at].start()]

    def after(self, at: int) -> str:
        """Return the text after a word."""
        return self.text[self.spans[at].end() :]

    def put(self, at: int, new: str, *, words: int = 1) -> str:
        """Replace one or more words by new text with the capitals of the first."""
        return self.before(at) + match_case(new, self.spans[at].group()) + self.after(at + words - 1)


@dataclass(frozen=True)
class Form:
    """A finite form of a full verb (not an auxiliary).

    Attributes:
        base: its base form, such as ``show``.
        helper: the form of "do" that a negation takes: ``does`` for "shows", ``did`` for "showed".
        is_noun_like: whether the word is as often a noun, like "works".
    """

    base: str
    helper: Literal["do", "does", "did"]
    is_noun_like: bool


_STEMS = {"ca": "can", "wo": "will", "sha": "shall", "ai": "is"}
_POSITIVE = {
    "nothing": "something",
    "nobody": "somebody",
    "nowhere": "somewhere",
    "never": "always",
    "cannot": "can",
}
_NEAR = 3


def negate(text: str) -> str | None:
    """Reverse each sentence of a text that a rule can reverse.

    If a sentence has a negation, it is removed ("is not" becomes "is", "no" becomes "some"). Otherwise one is
    inserted at the first finite verb ("is" becomes "is not", "shows" becomes "does not show", "Add" becomes
    "Do not add"). Questions, and sentences without a known verb, stay unchanged.

    Returns:
        The changed text; ``None`` if no sentence could be reversed.

    Examples:
        >>> negate("It works. Nothing is missing. Great phone.")
        'It does not work. Something is missing. Great phone.'
    """
    pieces = sentences_of(text)
    reversed_ = [_reverse(piece) for piece in pieces]
    if all(piece is None for piece in reversed_):
        return None
    return "".join(new or old for new, old in zip(reversed_, pieces, strict=True))


def _reverse(text: str) -> str | None:
    if text.rstrip().endswith("?"):
        return None
    sentence = Sentence(text)
    for rule in (_affirm, _deny):
        for at in range(len(sentence.spans)):
            changed = rule(sentence, at)
            if changed is not None:
                return changed
    return None


def _affirm(sentence: Sentence, at: int) -> str | None:
    """Remove the negation at a word; ``None`` if there is none."""
    word, after = sentence.word(at), sentence.word(at + 1)
    if word.endswith("n't"):
        return sentence.put(at, _STEMS.get(word[:-3], word[:-3]))
    if word in _POSITIVE:
        return sentence.put(at, _POSITIVE[word]) if after != "but" else None
    before = {sentence.word(back) for back in range(at - _NEAR, at)}
    if word == "not" and after not in word_class("stays_not") and before & word_class("auxiliary"):
        return sentence.before(at).rstrip(" ") + sentence.after(at)
    return _some(sentence, at) if word == "no" else None


def _some(sentence: Sentence, at: int) -> str | None:
    """Write "still" for "no longer", and "some" for "no" after a verb or "with"."""
    after = sentence.word(at + 1)
    if after == "longer":
        return sentence.put(at, "still", words=2)
    before = {sentence.word(back) for back in range(at - _NEAR, at)}
    stays = not after or after in word_class("stays_no") or not before & word_class("with_no")
    return None if stays else sentence.put(at, "some")


_ENDINGS = {"re": "are", "m": "am", "ll": "will", "ve": "have"}
_HAVE = {"have": "do not have", "has": "does not have", "had": "did not have"}
_DO = {"do": "do not do", "does": "does not do", "did": "did not do"}


def _deny(sentence: Sentence, at: int) -> str | None:
    """Insert a negation at a word.

    Returns:
        The whole sentence; ``None`` if the word is not clearly a finite verb.

    Examples:
        >>> _deny(Sentence("This shows it."), 1), _deny(Sentence("This shows it."), 0)
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
    """Tell whether a subject pronoun precedes the word; an adverb may stand between them."""
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


def _is_past(sentence: Sentence, at: int, form: Form) -> bool:
    return _follows_subject(sentence, at) or (at > 0 and _has_object(sentence, at))


def _is_base(sentence: Sentence, at: int, form: Form) -> bool:
    before = sentence.word(at - 1)
    if before in {"i", "you", "we", "they", "who"}:
        return True
    if before.endswith("ly"):
        return sentence.word(at - 2) in word_class("subject")
    is_plural = before.endswith("s") and not before.endswith(("ss", "'s", "us", "is", "as"))
    return is_plural and _has_object(sentence, at)


_IS_VERB = {"does": _is_third_person, "did": _is_past, "do": _is_base}


_VOWELS = "aeiou"


def finite_form(word: str) -> Form | None:
    """Look up a lower-case word as a finite form of a verb; ``None`` if it is not a known one.

    Examples:
        >>> finite_form("shows"), finite_form("table")
        (Form(base='show', helper='does', is_noun_like=True), None)
    """
    return _forms().get(word)


def is_participle(word: str) -> bool:
    """Tell whether a lower-case word is a participle that can follow "have": "been", "taken", "provided".

    Examples:
        >>> is_participle("taken"), is_participle("been"), is_participle("took"), is_participle("need")
        (True, True, False, False)
    """
    return word in _participles() or (
        word.endswith("ed") and len(word) > len("need") and word not in {"indeed", "hundred", "speed"}
    )


@cache
def word_class(name: str) -> frozenset[str]:
    """Return a word class from the lexicon."""
    return frozenset(_lexicon()["classes"][name].split())


def third_person(base: str) -> str:
    """Return a verb's form for "it".

    Examples:
        >>> third_person("show"), third_person("try"), third_person("touch"), third_person("go")
        ('shows', 'tries', 'touches', 'goes')
    """
    if base.endswith("y") and base[-2] not in _VOWELS:
        return base[:-1] + "ies"
    return base + ("es" if base.endswith(("s", "x", "z", "ch", "sh", "o")) else "s")


def regular_past(base: str) -> str:
    """Return the past form of a regular verb.

    Examples:
        >>> regular_past("show"), regular_past("use"), regular_past("rely"), regular_past("play")
        ('showed', 'used', 'relied', 'played')
    """
    if base.endswith("e"):
        return base + "d"
    return base[:-1] + "ied" if base.endswith("y") and base[-2] not in _VOWELS else base + "ed"


def _lexicon() -> dict[str, Any]:
    return read_lexicon("negation", package="semscale.damage")


@cache
def _forms() -> dict[str, Form]:
    lexicon = _lexicon()
    noun_like = frozenset(lexicon["noun_like"].split())
    forms = {}
    for base in lexicon["verbs"].split():
        past = lexicon["irregular"].get(base, regular_past(base)).split()[0]
        forms[past] = Form(base, "did", False)
        forms[base] = Form(base, "do", base in noun_like)
        forms[third_person(base)] = Form(base, "does", base in noun_like)
    return forms


@cache
def _participles() -> frozenset[str]:
    irregular = _lexicon()["irregular"].values()
    return frozenset({pair.split()[1] for pair in irregular} | word_class("participle"))


def match_case(word: str, model: str) -> str:
    """Give a word the capitals of the word that it replaces.

    Examples:
        >>> match_case("shows", "Demonstrates"), match_case("film", "MOVIE"), match_case("i", "I")
        ('Shows', 'FILM', 'I')
    """
    if model.isupper() and (len(model) > 1 or len(word) == 1):
        return word.upper()
    return word[:1].upper() + word[1:] if model[:1].isupper() else word


_DIGITS = re.compile(
    r"""(?<![\w.\#])(?<!\d,)(?!\d[dDkKgG]\b)     # no part of a name such as mp3 or 3D
    (?P<number>\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+)
    (?P<ordinal>(?:st|nd|rd|th)\b)?
    (?P<percent>\s?%)?
    (?!\d|\.\d)                                 # nor of 1.2.3
    """,
    re.VERBOSE,
)
_LIST_MARKER = re.compile(r"(?:^[ \t]*|:[ \t]+|[ ]{2})\d+[.)](?=[ \t])", re.MULTILINE)

_OTHER_NUMBERS = {
    "zero": "eight",
    "two": "five",
    "three": "seven",
    "four": "nine",
    "five": "two",
    "six": "eleven",
    "seven": "three",
    "eight": "four",
    "nine": "five",
    "ten": "six",
    "eleven": "four",
    "twelve": "seven",
}
_NUMBER_WORD = re.compile(rf"(?<![\w-])({'|'.join(_OTHER_NUMBERS)})(?![\w-])", re.IGNORECASE)
# "One" is a number only before a noun that ends its phrase; elsewhere it is mostly a pronoun ("this one").
_ONE = re.compile(
    r"""(?<![\w-])(?<!\bno\ )(?<!this\ )(?<!that\ )(?<!each\ )(?<!every\ )(?<!any\ )(?<!which\ )(?<!another\ )
    (one)\ ([a-z]{3,})(?=[.,;:!?)]|\ (?:and|or|per|in|on|for|to|with|that|of|from|is|was|at|by)\b|$)""",
    re.IGNORECASE | re.VERBOSE,
)
_FIRST_YEAR, _LAST_YEAR = 1900, 2099
_EARLIER = 17


def change_numbers(text: str) -> str | None:
    """Change every number in digits, and number words up to twelve.

    A number n becomes 2n + 3 with as many decimals. A year moves back by 17 years. A percentage that would
    exceed 100 is divided by 3. Numbers that mark items of a list or are part of a name (mp3, 3D) stay.

    Returns:
        The changed text; ``None`` if nothing could be changed.

    Examples:
        >>> change_numbers("Two of 1,000 users waited 0.5 s in 2020.")
        'Five of 2,003 users waited 4.0 s in 2003.'
    """
    markers = {match.start(): match.end() for match in _LIST_MARKER.finditer(text)}
    spans = sorted(markers.items())

    def digits(match: re.Match[str]) -> str:
        at = match.start("number")
        return match.group() if any(start <= at < end for start, end in spans) else _other_number(match)

    changed = _DIGITS.sub(digits, text)
    changed = _NUMBER_WORD.sub(lambda match: match_case(_OTHER_NUMBERS[match[1].lower()], match[1]), changed)
    changed = _ONE.sub(_several, changed)
    return None if changed == text else changed


def _other_number(match: re.Match[str]) -> str:
    written = match["number"]
    plain = written.replace(",", "")
    whole, _, decimals = plain.partition(".")
    value = float(plain)
    if not decimals and len(whole) == 4 and "," not in written and _FIRST_YEAR <= value <= _LAST_YEAR:
        other = value - _EARLIER
    else:
        other = 2 * value + 3
        if match["percent"] and other > 100:
            other = value / 3
    shown = f"{other:,.{len(decimals)}f}" if "," in written else f"{other:.{len(decimals)}f}"
    ordinal = _ordinal_ending(int(other)) if match["ordinal"] else ""
    return f"{shown}{ordinal}{match['percent'] or ''}"


def _ordinal_ending(n: int) -> str:
    if n % 100 in (11, 12, 13):
        return "th"
    return {1: "st", 2: "nd", 3: "rd"}.get(n % 10, "th")


@cache
def _no_noun() -> frozenset[str]:
    return frozenset(read_lexicon("numbers", package="semscale.damage")["no_noun"].split())


def _several(match: re.Match[str]) -> str:
    one, noun = match.groups()
    if noun.lower() in _no_noun() or noun.lower().endswith(("s", "x", "ch", "sh", "ing", "ly")):
        return match.group()
    several = noun[:-1] + "ies" if re.search(r"[^aeiou]y$", noun) else noun + "s"
    return f"{match_case('four', one)} {several}"


_OFTEN = 0.8
_NEXT_TIME = re.compile(r"^(\s*)Next time, ([a-z][^.!?;:]*[a-z)])([.!])$")
_TO_IMPROVE = re.compile(
    r"^(\s*)To improve, ((?:consider|try|think|provide|include|add)\b[^.!?;:]*[a-z)])([.!])$"
)
_SMART = str.maketrans({"“": '"', "”": '"', "’": "'", "‘": "'"})


def paraphrase(text: str, rng: np.random.Generator) -> str | None:
    """Paraphrase a text by rules.

    The rules change synonyms and phrases of a small list, contractions, British and American spelling, the
    place of an opening ("Next time, ..."), the order of two adjectives around "and", quotation marks, dashes
    and bullets. Each possible change is made with probability .8, so other seeds give other versions.

    Returns:
        The changed text; ``None`` if only the rules for quotation marks, dashes and bullets apply.

    Examples:
        >>> paraphrase("It isn't clear.", np.random.default_rng(1))
        'It is not clear.'
    """
    changed = "".join(_move_opening(piece, rng) for piece in sentences_of(text))
    changed = _pairs().sub(lambda match: _other(match, changed, rng), changed)
    changed = _adjectives().sub(lambda match: _swap_adjectives(match, rng), changed)
    retyped = _retype(changed) if rng.random() < _OFTEN else changed
    return None if changed == text else retyped


def _move_opening(sentence: str, rng: np.random.Generator) -> str:
    """Move an opening to the end if nothing else depends on its position."""
    for pattern, ending in ((_NEXT_TIME, "next time"), (_TO_IMPROVE, "to improve")):
        match = pattern.match(sentence)
        if match and "," not in match[2] and rng.random() < _OFTEN:
            return f"{match[1]}{match[2][0].upper()}{match[2][1:]} {ending}{match[3]}"
    return sentence


def _other(match: re.Match[str], text: str, rng: np.random.Generator) -> str:
    """Return the other member of a pair of synonyms, and adapt the article before it."""
    if rng.random() >= _OFTEN:
        return match.group()
    article, space, word = match["article"] or "", match["space"] or "", match["word"]
    new = match_case(_partners()[word.lower().replace("’", "'")], word)
    if article.lower() in ("a", "an"):
        article = match_case("an" if _sounds_like_a_vowel(new) else "a", article)
    return f"{article}{space}{new}"


def _sounds_like_a_vowel(word: str) -> bool:
    return word[0].lower() in "aeiou" and not word.lower().startswith(("use", "uni", "eu", "one"))


def _swap_adjectives(match: re.Match[str], rng: np.random.Generator) -> str:
    if rng.random() >= _OFTEN:
        return match.group()
    first, second = match.groups()
    return f"{match_case(second, first)} and {first.lower()}"


def _retype(text: str) -> str:
    """Exchange quotation marks, dashes and bullets."""
    if any(mark in text for mark in "“”’‘"):
        text = text.translate(_SMART)
    else:
        text = re.sub(r'"([^"\n]*)"', r"“\1”", text)
        text = re.sub(r"(?<=\w)'(?=\w)", "’", text)
    text = re.sub(
        r"^([ \t]*)[-*•] ",
        lambda mark: mark[1] + ("* " if "-" in mark[0] else "- "),
        text,
        flags=re.MULTILINE,
    )
    return re.sub(r"(?<=\w) (?:-|--) (?=\w)", " – ", text)


@cache
def _partners() -> dict[str, str]:
    """Return the replacement of each lower-case word or phrase."""
    lexicon = read_lexicon("paraphrase", package="semscale.damage")
    there = {first.lower(): second for first, second in lexicon["one_way"]}
    for part in ("both", "spellings", "contractions"):
        there |= {first.lower(): second for first, second in lexicon[part]}
        there |= {second.lower(): first for first, second in lexicon[part]}
    return there


@cache
def _pairs() -> re.Pattern[str]:
    full = [full.lower() for full, _ in read_lexicon("paraphrase", package="semscale.damage")["contractions"]]
    words = "|".join(_ending(word, word in full) for word in sorted(_partners(), key=len, reverse=True))
    return re.compile(
        rf"(?:(?<!\w)(?P<article>an?)(?P<space>\s))?(?<![\w'’-])(?P<word>{words})(?![\w'’-])", re.IGNORECASE
    )


def _ending(word: str, is_contractible: bool) -> str:
    """Return the pattern of a word, with the condition on what follows it."""
    pattern = re.escape(word).replace("'", "['’]")
    if is_contractible:
        return pattern + r"(?=\s[a-z])"
    return pattern + r"(?!\s(?:been|had|got|gotten|become)\b)" if word.endswith("'s") else pattern


@cache
def _adjectives() -> re.Pattern[str]:
    words = "|".join(read_lexicon("paraphrase", package="semscale.damage")["adjectives"].split())
    return re.compile(rf"\b({words}) and ({words})\b", re.IGNORECASE)


def truncate(text: str) -> str | None:
    """Keep the first third of a text's words, at least one; ``None`` for a text of one word.

    Examples:
        >>> truncate("The plug is hot and it smells.")
        'The plug is'
    """
    matches = list(re.finditer(r"\S+", text))
    n_first = math.ceil(len(matches) / 3)
    return text[: matches[n_first - 1].end()] if n_first < len(matches) else None
