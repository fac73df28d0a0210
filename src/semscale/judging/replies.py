"""Strict parser of the score that a judge's reply states.

A reply states its level in JSON, in a tag, on a line such as ``**Score:** 4/5``, as a level alone, or in a
sentence such as "I'd rate this 4 out of 5". The rest must not contradict or qualify that level: another
level, a quotation, a negation, a bound, a condition, another scale or a second thought makes the reply
unparsable, and the judge is asked again. A repeated question costs little, and a wrong score would stay
unnoticed.
"""

import json
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Literal

from semscale.chat.declining import declines_to_score
from semscale.judging.templates import Template
from semscale.text_preparation import answer_start

LONGEST = 50_000
"""Maximum number of characters of a reply, without reasoning and blanks; longer ones are not read."""


@dataclass(frozen=True)
class ReplyReading:
    """The score that was read from a reply, or why none was.

    Attributes:
        score: from 0 to 1; ``None`` if the reply does not state exactly one level.
        status: ``scored``, ``unparsable``, ``refused``, or ``empty`` for a reply without text.
        explanation: the judge's explanation of the score; may be empty.
        span: start and end of the level in the reply, for the probabilities of its tokens; ``None`` if it is
            stated by ``true`` or ``false``.
    """

    score: float | None
    status: Literal["scored", "unparsable", "refused", "empty"]
    explanation: str = ""
    span: tuple[int, int] | None = None


def read_reply(
    reply: str,
    template: Template,
    *,
    score_last: bool = False,
    cut: bool = False,
    structured: bool = False,
) -> ReplyReading:
    r"""Read the score that a reply states.

    Args:
        reply: as the model gave it.
        template: what the judge was asked.
        score_last: whether the explanation was requested first; then a level alone on the last line counts.
        cut: whether the reply was cut at the length limit; then a number at its end may be incomplete.
        structured: whether the request had a schema; the value of a reply that follows the schema counts,
            regardless of its explanation.

    Examples:
        >>> from semscale.judging.templates import load_template
        >>> likert = load_template("likert")
        >>> [read_reply(reply, likert).score for reply in ("Score: 4\n1. minor omission", "4 or 5", "4/5")]
        [0.75, None, 0.75]
    """
    text, levels = _plain(reply), _Levels(template)
    objects = list(_json_objects(_without_reasoning(reply)))
    texts = {path[-1].lower(): value for item in objects for path, value in item.fields}
    explanation = next((str(texts[key]).strip() for key in _REASON_KEYS if texts.get(key)), "")
    try:
        level = _schema_level(reply, objects, levels) if structured else None
        level = level or _stated_level(text, objects, levels, score_last=score_last)
    except _UnclearError:
        if declines_to_score(text) and not re.search(r"\d", text):
            return ReplyReading(None, "refused", explanation)
        return ReplyReading(None, "unparsable" if reply.strip() else "empty", explanation)
    may_go_on = cut or (text.lstrip().startswith("{") and "}" not in text)
    if may_go_on and not text[level.end :].strip():
        return ReplyReading(None, "unparsable", explanation)
    span = (level.start, level.end) if level.end > level.start else None
    explanation = explanation if objects else _explanation(reply, text, level)
    return ReplyReading(level.score, "scored", explanation, span)


class _UnclearError(Exception):
    """The reply states no level, or something in it contradicts or qualifies the level."""


@dataclass(frozen=True)
class _Level:
    """A level that a reply states.

    Attributes:
        score: from 0 to 1.
        start: position of its first character.
        end: position after its last character; ``start`` if it is stated by ``true`` or ``false``.
        after: position after its denominator, name and closing marks.
        begin: position of the words that introduce it: ``Score:``, "I'd rate this".
        is_final: whether it is called final or overall.
    """

    score: float
    start: int
    end: int
    after: int
    begin: int = 0
    is_final: bool = False


def _stated_level(
    text: str, objects: Sequence["_JsonObject"], levels: "_Levels", *, score_last: bool
) -> _Level:
    """Find the level on which all statements of a reply agree, and that nothing else contradicts."""
    if sum(map(len, text.split())) > LONGEST:
        raise _UnclearError
    stated = [level for item in objects if (level := item.level(levels)) is not None]
    for item in objects:
        text = text[: item.start] + item.prose + text[item.start + len(item.written) :]
    text = _QUOTES.sub(_unquoted, levels.own_scale.sub(_blanked, text))
    stated += _sentence_levels(text, levels)
    stated += [] if objects else _lone_levels(text, levels, score_last=score_last)
    if len({level.score for level in stated}) != 1 or len(stated) > _MOST_STATEMENTS:
        raise _UnclearError
    stated.sort(key=lambda level: level.start)
    for level in stated:
        _check_sentence(text, level)
    _check_rest(text, stated, levels)
    return stated[0]


# Levels

_NUMBER = r"[+-]?\d+(?:[.,]\d+)*+"
_UNIT = r"(?:[ \t]*(?:points?|pts|stars?|punkten?)\b)?"
_OVER = r"[ \t]*(?:/|\b(?:out[ \t]+)?of\b(?:[ \t]+a[ \t]+possible)?|von\b|sur\b)[ \t]*"
_CLOSED = r"(?:[ \t]*[\"')\]}>])*"
_ENDS = (
    r"(?=[ \t]*(?:\Z|\n|\|[ \t]*(?:\n|\Z)|[.;!,:](?![\w.])|--?[ \t]+[^\W\d]|[–—][ \t]*[^\W\d]|[✅⭐★]+\s*?$"
    r"|\((?:it|no|minor|missing|one|two|\d+ [a-z]{3,})\b|(?:because|since|given|due|weil)\b))"
)
_MIDDLE, _TEN, _HUNDRED = 0.5, 10, 100


class _Levels:
    """Parser of the levels of one template."""

    def __init__(self, template: Template) -> None:
        self.highest = template.highest
        self.numbers = {level.number: level.score for level in template.levels if level.number is not None}
        self.labels = {_key(level.label) for level in template.levels}
        self.names = {
            _key(name): level.score for level in template.levels for name in (level.label, *level.also)
        }
        keyed = {_key(name): level.score for level in template.levels for name in level.keyed}
        self.scores = keyed | self.names
        self.low, self.top = min(self.numbers, default=0), self.highest or max(self.numbers, default=-1)
        ends = rf"(?<![\w.,]){self.low:g}[ \t]*(?:-|–|to)[ \t]*{self.top:g}(?![\w/%])"
        self.own_scale = re.compile(
            rf"(?i)(?:[(\[,][ \t]*|\bon (?:a|the) )?(?:\bscale\b[: ]*(?:of |from )?)?{ends}(?: scale)?[)\]]?"
            rf"|[(,][ \t]*out of (?:a possible )?{self.top:g}\b\)?"
        )
        self._free, self._keyed = self._pattern(self.names), self._pattern(self.scores)

    def _pattern(self, names: Iterable[str]) -> re.Pattern[str]:
        over = rf"{_OVER}{self.top:g}(?![\d.,]*\d){_UNIT}" if self.low >= 0 else r"(?!)"
        percent = r"|[ \t]*(?:%|per ?cent\b)" if self.highest == _HUNDRED else ""
        label = rf"(?:[ \t]*(?:[-–—:=,.(\[][ \t]*)?[\"']?(?P<label>{_any_of(self.names)}))?"
        again = rf"(?:[ \t]*[(\[:,=][ \t]*(?P<again>{_NUMBER})(?:{over})?)?"
        return re.compile(
            rf"(?im)[\"'(\[{{ \t]*(?:(?P<number>{_NUMBER}){_UNIT}(?P<explicit>(?:{over}{percent})?){_CLOSED}"
            rf"{label}|(?P<name>{_any_of(names)}){_CLOSED}{again}){_CLOSED}{_ENDS}"
        )

    def read(self, text: str, at: int, *, keyed: bool = False) -> _Level | None:
        """Read the level at a position: ``4``, ``4/5``, ``4 (Mostly correct)``, ``Mostly correct (4)``.

        Args:
            text: result of ``_plain``.
            at: its position, after brackets and quotation marks.
            keyed: whether a word such as ``Score`` precedes it, so that ``True`` is a level.
        """
        match = (self._keyed if keyed else self._free).match(text, at)
        if match is None:
            return None
        name, number = match["name"] or match["label"], match["number"] or match["again"]
        scores = {self.score(number, is_explicit=bool(match["explicit"]))} if number else set()
        scores |= {self.scores.get(_key(name))} if name else set()
        if len(scores) > 1 or (score := scores.pop()) is None:
            return None
        start, end = match.span("number" if match["number"] else "name")
        return _Level(score, start, end, match.end(), begin=start)

    def whole(self, text: str) -> _Level | None:
        """Read a text that consists of a level only."""
        level = self.read(text, 0, keyed=True)
        return level if level is not None and not text[level.after :].strip(" \t.") else None

    def score(self, written: str, *, is_explicit: bool = False) -> float | None:
        """Return the score of a written number; ``None`` if it is not a level, or can mean two numbers."""
        if re.fullmatch(r"[+-]?(?:0\d.*|\d+[.,]\d{3}|.*[.,].*[.,].*)", written):
            return None  # 04; 4.000 may be thousands
        number = float(written.replace(",", "."))
        if not self.highest:
            return self.numbers.get(number)
        # 0.85 and 9.5 may be meant on 0 to 1 and on 0 to 10, and 85,5 may be two numbers.
        is_ambiguous = not is_explicit and ("," in written or ("." in written and 0 < number <= _TEN))
        return None if is_ambiguous or not 0 <= number <= self.highest else number / self.highest


def _key(name: str) -> str:
    return " ".join(re.split(r"[\s_-]+", name.casefold()))


def _any_of(names: Iterable[str]) -> str:
    """Match any of some names, the longest first; hyphens and underscores stand for spaces."""
    ordered = sorted(names, key=len, reverse=True)
    either = "|".join(r"[ \t_-]+".join(map(re.escape, name.split())) for name in ordered)
    return rf"(?:{either or '(?!)'})(?![\w%]|['-]\w)"


# Statements

_ADJECTIVES = "final|overall|total|my|the|your|assigned|correctness|so|thus|therefore|hence|and"
_VERDICT = "overall|total|final|verdict|judge?ment|evaluation|assessment|level|bewertung|évaluation|评分"
_KEY = (
    rf"(?:\w{{1,3}}[.)][ \t]+)?(?P<words>(?:(?:{_ADJECTIVES}),?[ \t]+)*)"
    rf"(?:(?P<score>score|rating|grade|punktzahl)|(?P<verdict>{_VERDICT}))(?![\w-])"
    r"(?: (?:for|of) th(?:e|is) (?:answer|response)| I would assign)?(?P<note> *[(\[][^()\[\]\n]*[)\]])?"
    r"[ \t\"')\]]*(?P<join>[:=|]|--?>?|→|–|—| (?:is|would be)\b|(?=\n)| )"
    r"(?=(?P<gap>[ \t|:=\"']*(?:\n\s*)?(?:an?[ \t])?))"
)
_LEAD_IN = (
    r"(?:(?:overall|in (?:summary|short|conclusion|my \w+)|all in all|therefore|thus|hence|so|based on|given"
    r"|considering|after comparing|for th(?:is|ese) reasons?)\b[^.!?\n\d]{0,90}?[,:]?[ \t]*)?"
)
_ANSWER = r"(?:(?:it|this)(?: answer| response| one)?|the (?:\w+ed )?(?:answer|response)(?: provided)?)"
_OBJECT = (
    r"(?:[ \t]+(?:it|this|one|be|the|an?|answer|response|score|rating|grade|of|as|at|to|with|overall|final"
    r"|solid|perfect|full|dieser|diese|der|die|antwort|mit)\b)*+[ \t:]+"
)
_GIVING = (
    rf"{_LEAD_IN}(?:(?:I|we)(?:'d|'ll|'m| would| will| have to)?(?: therefore)? (?:giv(?:e|ing)|rat(?:e|ing)"
    r"|scor(?:e|ing)|assign|grade|award|say|judge|classify|mark|call|consider)|ich (?:gebe|bewerte)"
    rf"|{_ANSWER} (?:deserves|earns|gets|receives|merits|(?P<is>is(?: therefore| thus)?(?= +[^\W\d]))))"
    rf"{_OBJECT}"
)
_STATEMENT = re.compile(rf"(?im)(?:^|(?<=[.!?;])[ \t]+)[^\w\n]*+(?:{_KEY}|{_GIVING})")


def _sentence_levels(text: str, levels: _Levels) -> Iterator[_Level]:
    """Find lines and sentences that state a level: ``Score: 4``, "I'd rate this 4/5", "It is correct"."""
    for match in _STATEMENT.finditer(text):
        at = match.end() if match["gap"] is None else match.end("gap")
        level, join = levels.read(text, at, keyed=not match["is"]), (match["join"] or "").strip()
        rest_of_line = text[level.after :].partition("\n")[0].strip(" \t.|") if level else ""
        if "\n" in (match["gap"] or "") and rest_of_line:
            continue  # a heading above a text that begins with a number
        is_dash = levels.low < 0 and join in ("-", "–", "—")
        if level is not None and not (match["note"] or "").strip() and not is_dash:
            named = f"{match['words']} {match['verdict']}".lower()
            is_final = any(word in named for word in ("final", "overall", "total"))
            yield replace(level, begin=match.start(), is_final=is_final)
        elif match["score"] and join not in ("", "is", "would be"):
            raise _UnclearError


def _lone_levels(text: str, levels: _Levels, *, score_last: bool) -> Iterator[_Level]:
    """Find a level that the reply begins with, or that is its last line where the score comes last."""
    start = len(text) - len(text.lstrip(" \t\n\"'([{|✅⭐★"))
    last = levels.read(text, text.rstrip().rfind("\n") + 1, keyed=True)
    if score_last and last is not None and last.start > start and not text[last.after :].strip(" \t\n."):
        yield last
    if (level := levels.read(text, start)) is None:
        return
    stated, rest = text[level.start : level.after], text[level.after :].rstrip(" \t\n.|")
    follower = rf"(?m)^[ \t]*{int(stated) + 1}\b" if stated.isdecimal() else "(?!)"  # of an item of a list
    is_label = _key(text[level.start : level.end]) in levels.labels or rest.startswith("\n")
    # "Right, so" and "Correct: the Nile" state nothing.
    is_word = stated[0].isalpha() and (not is_label or rest.startswith(":"))
    is_item = re.search(follower, rest) or (rest.startswith(".") and not re.search(r"[^\W\d]|/", stated))
    if not rest or not (is_word or is_item):
        yield level


# Contradictions and qualifications of the level

_OTHERS_SPEAK = re.compile(
    r"(?i)\b(?:sa(?:ys?|id)|contain|include|reads|wrote|claim|copied|quot|ask|e.g|example)"
)
_JUDGE = re.compile(r"(?i)\b(?:final|here|my|evaluation|assess|judge?ment|verdict|scor|rating|conclusion)")
_HEADING = re.compile(r"(?i)\W*(?:begin )?(?:the |student'?s? )?(?:answer|response|text|candidate)\W*")
_CONDITION = re.compile(
    r"(?i)\b(?:if|unless|provided|condition|assuming|depending|subject to|but|although|maybe|perhaps|possibly"
    r"|probably|before|until|was|were|or|less|minus|when|only|not|then|from)\b|\A\W? *-?\d+ *(?:[.,;)\]]|\Z)"
)
_REASON = re.compile(r"(?:, *)?(?:because|since|given|due)\b|, *[\"']?\w+[\"']? *:|[^\w,]|[A-Z]|,?\W*$")
_SECOND_THOUGHT = re.compile(
    r"""(?ix) \? | \b(?: I | me | my | we | scor(?:e[sd]?|ing) | rating | rated | grade[sd]? | verdict
      | marks | h+m+ | sorry | wait(?=[,.:!]) | h[ao](?:ld|ng)[ ]on | second[ ](?:thoughts?|look) | minus[ ]\d
      | on[ ](?:second|reflection) | thinking[ ](?:about[ ]it|it[ ]over) | too[ ](?:high|low|generous|harsh)
      | (?:one|two|a[ ]\w+)[ ](?:lower|higher|down|up) | points?[ ](?:off|to[ ]be|must) | supersed\w+
      | pending | disregard | revis(?:ed|ion) | copied | signed | request )\b
    | (?:^|[.!?\n])\W*(?:edit | update | correct(?:ion|ed) | actually | ignore | please | no(?=[,.:]) | or
      | that | not(?=[.!]) | forget | take | strike | count | lower | after\w* | post\w* | re-\w+)\b"""
)
_HARMLESS = re.compile(
    r"(?i)\bI(?: have|'ve| would have)? (?:deducted|took off|checked|compared|verified|counted|expected)\b"
    r"|\bth(?:e|is) (?:score|rating) (?:reflects|is (?:reduced|based|given) (?:because|on|for))\b"
    r"|\b(?:(?:please )?let me know|I hope)\b[^.!?\n]*[.!?]?|\ba (?:score of )?\d+ would (?:require|need)"
)
_UNCERTAIN = re.compile(r"(?i)\b(?:I|my|doubts?)\b")
_ANOTHER_SCALE = re.compile(
    r"(?i)(?<![-\w])scale\b|\b\d+-point\b|\bschool (?:marks|grades)\b|\bmax(?:imum)?\b|\b(?:best|worst), "
    r"|\d *(?:=|is|being)? *(?:the )?(?:best|worst|excellent|bad|poor)\b|[(\[] ?[xX✓✔•]? ?[)\]]|[☐☑☒○●]"
)
_FLAWED = (
    r"\b(?:everything|all of it|answer|response|it|this)\b[^.,;\n]{0,15} (?:is|are) (?:all |\w+ly )?"
    r"(?:wrong|false|incorrect)\b|\b(?:nothing|none|not a word)\b[^.,;\n]{0,40} (?:right|correct|true)\b"
)
_FLAWLESS = r"(?<!not )\b(?:fully|completely|all) (?:correct|right)\b|\bf(?:law|ault)less|\bno errors"
_LEVEL_END = r"(?=[ \t]*(?:[.,;:!?)]|\n|\Z|\b(?:or|for|would|is|fits|at|instead|because|points?)\b))"
_ARTICLE = r"(?i:\b(?:an?|an? \w+|no|not|so|hence|be|say|than|to|make (?:that|it)|worth)[ \t,]+)"
_HAS_TOP = r"[ \t]*(?:/|out of)[ \t]*"
_PART = re.compile(r"(?m)^[^\w\n]*(?:\d[.)][ \t]*)?[^\W\d][\w '/&()-]{0,40}?[ \t\"')]*[:=|–-]+[ \t|]*(?=\d)")


def _check_sentence(text: str, level: _Level) -> None:
    """Refuse a level that the words before it attribute to others, or that the words after it qualify."""
    *lines, lead = text[: level.begin].rstrip(" \t\"'([").split("\n")
    introduces = not lead.endswith((".", "!", "?", ";")) or lead.endswith("e.g.")
    if not lead.strip(" \t-*>"):
        lead = next((line.strip() for line in reversed(lines) if line.strip()), "")
        introduces = lead.endswith((":", "->")) or bool(_HEADING.fullmatch(lead))
    tail = re.split(r"[.!?\n]", text[level.after :], maxsplit=1)[0].strip()
    opening = tail if tail[:1] in ("", ",", "(", ";") else " ".join(tail.split()[:3])
    is_quoted = introduces and lead and (_OTHERS_SPEAK.search(lead) or not _JUDGE.search(lead))
    if is_quoted or _CONDITION.search(opening) or not _REASON.match(tail):
        raise _UnclearError


def _check_rest(text: str, stated: Sequence[_Level], levels: _Levels) -> None:
    """Refuse a reply if anything outside its statements contradicts or qualifies the level."""
    score, first = stated[0].score, stated[0]
    for level in stated:
        text = _blank(text, level.begin, level.after)
    final = max((level.start for level in stated if level.is_final), default=0)
    for match in _PART.finditer(text, 0, final):
        part = levels.read(text, match.end())
        text = text if part is None else _blank(text, match.start(), part.after)
    after = _HARMLESS.sub(" ", text[first.begin :])
    if score == levels.scores.get("uncertain"):
        after = _UNCERTAIN.sub(" ", after)
    others = _other_levels(_HARMLESS.sub(" ", text), levels)
    contrary = _FLAWED if score > _MIDDLE else _FLAWLESS if score < _MIDDLE else "(?!)"
    unclear = (_ANOTHER_SCALE.search(text), _SECOND_THOUGHT.search(after), re.search(f"(?i){contrary}", text))
    if any(other != score for other in others) or any(unclear):
        raise _UnclearError


def _other_levels(text: str, levels: _Levels) -> Iterator[float | None]:
    """Find the scores of levels outside the statements."""
    text = re.sub(r"(?m)^[ \t]*\d{1,2}[.):](?=[ \t])", "", text)  # items of a list
    lead = _ARTICLE if levels.highest else ""
    ended = rf"{_LEVEL_END}|{_HAS_TOP}{levels.top:g}(?!\d)"
    numbers = re.findall(rf"{lead}(?<![\w.,/-])({_NUMBER})(?:{ended})", text)
    yield from (score for number in numbers if (score := levels.score(number)) is not None)
    for name, score in levels.scores.items():
        label = r"[ \t_-]+".join(map(re.escape, name.split()))
        if " " not in name or name not in levels.labels:
            subject = "(?:answer|response|it|this|verdict)"
            denied = rf"\b{subject} is(?:n't| not) (?:\w+ly )?{label}"
            label = rf"(?:\A\W*|\b{subject}(?: is|'s) (?:\w+ly |therefore )?){label}"
            if not levels.numbers and not levels.highest and re.search(rf"(?i){denied}\b", text):
                yield 1 - score
        if re.search(rf"(?i){label}\b", text):
            yield score


# JSON

_SCORE_KEY = r"(?:score|rating|verdict|grade|judge?ment|level|overall)"
_PLAIN_KEY = rf"(?:(?:final|overall|total|the|result|evaluation|output|answer) )*{_SCORE_KEY}(?: value)?"
_REASON_KEYS = ("explanation", "reasoning", "reason", "rationale", "justification", "comment", "feedback")
_JSON_MARKS = re.compile(r"\"(?:[^\"\\]|\\.)*+\"\s*:\s*(?:[\d.+-]+|true|false|null)?|\\n|[\"{}\[\]]")
_MOST_MARKS, _MOST_STATEMENTS, _LONGEST_LEVEL = 1000, 50, 3


@dataclass(frozen=True)
class _JsonObject:
    """A JSON object in a reply.

    Attributes:
        start: position of its first character.
        written: its text in the reply.
        fields: the keys that lead to each value, and the value; numbers are as written.
    """

    start: int
    written: str
    fields: Sequence[tuple[tuple[str, ...], object]]

    def level(self, levels: _Levels) -> _Level | None:
        """Read the level under its keys; ``None`` if no key is about a score."""
        chosen: list[_Level | None] = []
        others: list[float | None] = []
        is_final = False
        for path, value in self.fields:
            key = re.sub(r"(?<=[a-z])(?=[A-Z])|[\W_]+", " ", " ".join(path)).lower()
            written, is_bool = str(value), isinstance(value, bool)
            level = levels.whole(written)
            is_value = is_bool or level or re.fullmatch(_NUMBER, written)
            if written.count(" ") > _LONGEST_LEVEL or "confidence" in key:
                continue
            if re.search(r"\b(?:max|maximum|scale|out of)\b", key):
                is_same = written == f"{levels.top:g}" or levels.own_scale.search(f"({written}")
                others += [] if is_same else [None]
            elif re.fullmatch(_PLAIN_KEY, key) or (is_bool and re.fullmatch("(?:is |answer )*correct", key)):
                chosen.append(level and self._located(level, path[-1], is_bool=is_bool))
                is_final = is_final or re.search("final|overall", key) is not None
            elif re.search(_SCORE_KEY, key) or (len(path) == 1 and is_value):
                others.append(level.score if level else None)
        scores = {level.score if level else None for level in chosen} | (set() if is_final else set(others))
        if len(scores) > 1 or None in scores or (others and not chosen):
            raise _UnclearError
        return replace(chosen[0], is_final=is_final) if chosen and chosen[0] else None

    def _located(self, level: _Level, key: str, *, is_bool: bool) -> _Level:
        """Return a level that is the value of a key, with its position in the reply."""
        match = re.search(rf"\"{re.escape(key)}\"\s*:\s*\"?\s*", self.written)
        at = self.start + (match.end() if match else 0)
        end = at if is_bool else at + level.end - level.start
        return replace(level, start=at, end=end, after=self.start, begin=self.start)

    @property
    def prose(self) -> str:
        """Its texts, one per line, padded to the length of the object."""
        written = self.written.replace('\\"', " '")
        return _JSON_MARKS.sub(lambda mark: "\n".rjust(len(mark[0])), written).translate(_WIDE)


def _json_objects(text: str) -> Iterator[_JsonObject]:
    """Find the outermost objects of a reply."""
    decoder = json.JSONDecoder(
        object_pairs_hook=list, parse_int=str, parse_float=str, parse_constant=str, strict=False
    )
    end = 0
    for brace in islice(re.finditer(r"\{", text), _MOST_MARKS):
        if brace.start() >= end:
            try:
                pairs, end = decoder.raw_decode(text, brace.start())
            except (json.JSONDecodeError, RecursionError):
                continue
            # A sentence that continues after the object is about another reply's object.
            fields = [] if re.match(r" +[a-z]", text[end:]) else list(_fields(pairs, ()))
            yield _JsonObject(brace.start(), text[brace.start() : end], fields)


def _fields(value: object, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], object]]:
    for item in value if isinstance(value, list) else ():
        key, inside = item if isinstance(item, tuple) else ("item", item)
        yield from _fields(inside, (*path, key))
    if not isinstance(value, list):
        yield path, value


def _schema_level(reply: str, objects: Sequence[_JsonObject], levels: _Levels) -> _Level | None:
    """Read a reply that is one object with exactly the requested keys."""
    keys = sorted(path for path, _ in objects[0].fields) if len(objects) == 1 else []
    rest = _without_reasoning(reply).replace(objects[0].written, "") if keys else reply
    is_asked = keys in ([("score",)], [("explanation",), ("score",)]) and not re.sub(_FENCE, "", rest).strip()
    return objects[0].level(levels) if is_asked else None


# The text

_TEMPLATE_TOKENS = r"<\|[^<>|\n]{1,40}\|>|</?s>|<end_of_turn>|<pad>|\[/INST\]|<bos>|<eos>"
_FENCE = r"(?:```|~~~)[\w-]*"
_MARKUP = (
    rf"{_FENCE}\n[^{{`]*(?:```|~~~)(?=[ \t]*\n\s*\S)",  # code with words below it is quoted
    r"<(student|submission|question|user|reference|quote|text|essay|system|\w+_\w+)\b[^<>\n]*>.*?</\1>",
    r"\[(?:begin )?(?:answer|text|student|response|candidate)\b[^\]\n]*\].*?(?:\[(?:end|/)[^\]\n]*\]|\Z)",
    r"<!--.*?-->|~~[^~\n]+~~",
    rf"{_FENCE}|</?(?:br|b|i|u|em|strong|span|p|div|h[1-6]|font|mark|code|center)\b[^<>\n]{{0,60}}>",
    r"\*+|(?<!\w)_+|_+(?!\w)|\\[\[\]()]|\\text\w*\{|(?m:^[ \t]*(?:#{1,6}(?=[ \t])|(?:=+|-{3,})[ \t]*$))",
)
_QUOTES = re.compile(
    r"(?P<key>\"[^\"\n]*\"|'\w+')(?=[ \t]*:)|\"(?P<double>[^\"\n]{2,600})\"|`(?P<code>[^`\n]{1,300})`"
    r"|(?<![\w'])'(?P<single>[^'\n]{2,300}(?:'\w[^'\n]{0,200}){0,6})'(?![\w'])"
)
_WIDE = str.maketrans("：＝／％．，（）［］－−’‘“”„«»\r\v\f\ufe0f\u20e3", ':=/%.,()[]--\'\'"""""\n\n\n  ')


def _plain(reply: str) -> str:
    """Rewrite a reply at the same length: no reasoning or markup, ASCII digits, and tags as keys."""
    text = _without_reasoning("".join(map(_plain_character, reply.replace("\r\n", " \n").translate(_WIDE))))
    # Replies do not have so many blanks, and patterns would try all ways to split them.
    text = re.sub(r"[ \t]{200,}", lambda gap: ";".center(len(gap[0]), "\n"), text)
    if any(line.strip() and not line.lstrip().startswith(">") for line in text.split("\n")):
        text = re.sub(r"(?m)^[ \t]*>[^\n]*$", _blanked, text)
    for pattern in _MARKUP:
        text = re.sub(f"(?is){pattern}", _blanked, text)
    text = text if text.count("$") % 2 else text.replace("$", " ")
    text = re.sub(r"(?<=[:=])[ \t]*\\boxed\{", _blanked, text).replace("\\boxed{", "\nscore:")
    text = re.sub(r"(?i)<answer>(?=\s*[^<>\n]{1,30}</answer>)", "\nscore: ", text)
    text = re.sub(r"</\w[\w-]{0,20}[ \t]*>", lambda tag: "\n".ljust(len(tag[0])), text)
    return re.sub(r"<([a-z]\w{0,20})[^<>\n]{0,60}>", lambda tag: f"\n{tag[1]}:".ljust(len(tag[0])), text)


def _plain_character(character: str) -> str:
    if character.isascii():
        return character
    if character.isdecimal():
        return str(unicodedata.decimal(character))
    category = unicodedata.category(character)
    return " " if category in ("Zs", "Cf") else "\n" if category in ("Zl", "Zp") else character


def _without_reasoning(text: str) -> str:
    """Blank a model's reasoning before its answer, and tokens of its template."""
    if text.count("<") > _MOST_MARKS:
        return " " * len(text)  # patterns would try each mark with each other one
    return re.sub(f"(?i){_TEMPLATE_TOKENS}", _blanked, _blank(text, 0, answer_start(text)))


def _unquoted(quote: re.Match[str]) -> str:
    """Blank a quotation, unless it is only a level in quotation marks or in code."""
    if quote["key"]:
        return quote[0]
    inside = quote["double"] or quote["single"] or quote["code"]
    is_level = re.fullmatch(r"\s*(?:[\d/.,% ]+|[^\W\d]+(?:[ _-][^\W\d]+){0,2}\.?)\s*", inside)
    return quote[0].replace("`", " ") if is_level else _blanked(quote)


def _blanked(match: re.Match[str]) -> str:
    return re.sub(r"[^\n]", " ", match[0])


def _blank(text: str, start: int, end: int) -> str:
    return text[:start] + re.sub(r"[^\n]", " ", text[start:end]) + text[end:]


# The explanation

_EXPLANATION = re.compile(r"(?im)^[ \t\"']*(?:explanation|reason(?:ing)?|rationale)[\"']?[ \t]*[:=-]")
_BLANKS = " \t\r\n*_`#"
_EDGES = " \t\n.,;:!|-–—}{\"'*_`)]/"


def _explanation(reply: str, text: str, level: _Level) -> str:
    """Find the explanation: after a word such as "Explanation", else after the score, else before it."""
    marked = _EXPLANATION.search(text)
    begin = marked.end() if marked else len(reply) - len(_without_reasoning(reply).lstrip())
    if marked is not None and begin > level.start:
        return re.sub(r"\A[*_`]+(?=\s)", "", reply[begin:]).strip(" \t\r\n}")
    after = reply[level.after :].lstrip(_EDGES).rstrip(_BLANKS)
    before = reply[begin : max(begin, level.begin)].lstrip(_EDGES + "#").rstrip(_BLANKS)
    return before if marked or not after else after
