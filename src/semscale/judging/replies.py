"""Parser of the score that a judge's reply states.

Evidence is read by its strength: a field of JSON is final, whatever numbers its explanation holds; next are
lines such as ``**Score:** 4/5``, tags and ``[RESULT] 4``, then sentences such as "I'd rate this 4 out of 5",
then a level alone. All statements must agree and be the judge's own: a quoted, reported, struck-out, denied,
conditional or retracted level, a range, a bound or another scale makes the reply unparsable, and the judge is
asked again. A repeated question costs little, and a wrong score would stay unnoticed.
"""

import json
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice
from typing import Literal

from semscale.chat.declining import declines_to_score
from semscale.judging.templates import Template, read_data
from semscale.reasoning import answer_start

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
        structured: whether the request had a schema; the score of a reply that is one JSON object counts,
            even if its explanation retracts it.

    Examples:
        >>> from semscale.judging.templates import load_template
        >>> likert = load_template("likert")
        >>> [read_reply(reply, likert).score for reply in ("Score: 4\n1. minor omission", "4 or 5", "4/5")]
        [0.75, None, 0.75]
    """
    answer, levels = _without_reasoning(_plain_characters(reply)), _levels_of(template)
    text = _plain(answer)
    objects = list(_json_objects(_without_reasoning(reply), answer, text))
    explanation = next(filter(None, (item.explanation for item in objects)), "")
    is_object = structured and len(objects) == 1 and not _without_objects(text, objects).strip()
    try:
        stated = _find_levels(text, objects, levels, score_last=score_last, is_object=is_object)
    except _UnclearError:
        if declines_to_score(text) and not re.search(r"\d", text):
            return ReplyReading(None, "refused", explanation)
        return ReplyReading(None, "unparsable" if reply.strip() else "empty", explanation)
    level = stated[0]
    explanation = explanation if objects else _explanation(reply, text, stated)
    may_go_on = cut or (text.lstrip().startswith("{") and "}" not in text)
    if may_go_on and not text[level.end :].strip():
        return ReplyReading(None, "unparsable", explanation)
    span = (level.start, level.end) if level.end > level.start else None
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
        has_key: whether a key such as ``Score`` precedes it.
        is_final: whether this key calls it final or overall.
    """

    score: float
    start: int
    end: int
    after: int
    begin: int = 0
    has_key: bool = False
    is_final: bool = False


def _find_levels(
    text: str, objects: Sequence["_JsonObject"], levels: "_Levels", *, score_last: bool, is_object: bool
) -> list[_Level]:
    """Find the statements of a reply, which agree on one level that nothing else contradicts."""
    if sum(map(len, text.split())) > LONGEST or _STRUCK_OUT.search(text):
        raise _UnclearError
    stated = [level for item in objects if (level := item.level(levels)) is not None]
    if is_object and stated:
        return stated
    text = _QUOTES.sub(_blank_quotation, levels.own_scale.sub(_blank_match, _without_objects(text, objects)))
    stated += islice(_statements(text, levels), _MOST_STATEMENTS)
    parts, last = stated[:-1], stated[-1:]
    if len(parts) > 1 and last[0].is_final and not any(level.is_final for level in parts):
        stated = last  # the scores above the overall one are those of criteria
    stated += [] if objects else _lone_levels(text, levels, score_last=score_last)
    if len({level.score for level in stated}) != 1 or len(stated) >= _MOST_STATEMENTS:
        raise _UnclearError
    for level in stated:
        _check_sentence(text, level)
    _check_rest(text, "\n".join(item.texts for item in objects), stated, levels)
    return sorted(stated, key=lambda level: level.start)


_WORDS = read_data("reply_words")


def _any_word(*names: str) -> str:
    """Match any of the words in lists of ``reply_words.yaml``."""
    return f"(?:{'|'.join(_WORDS[name].replace(' | ', '|') for name in names)})"


# Levels

_CJK = r"(?=[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af])"
_NUMBER = r"[+-]?\d+(?:[.,]\d+)*+"
_NUMBER_WORDS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_UNIT = (
    rf"(?:[ \t]*(?:{_any_word('unit')}\b|{_any_word('unspaced_unit')}{_any_word('unspaced_end')}?"
    rf"|{_any_word('unspaced_end')}))?"
)
_OVER = rf"[ \t]*(?:/|\b{_any_word('over')}\b|من)[ \t]*"
_CLOSED = r"(?:[ \t]*[\"')\]}>])*"
_BECAUSE = _any_word("because")
_ENDS = (
    rf"(?=[ \t]*(?:\Z|\n|\|(?![ \t|]*\d)|[.;!:](?:(?![\w.?])|{_CJK})|,(?:{_CJK}|[ \t]*(?:$|(?-i:[A-Z])"
    rf"|\"?\w+\"?[ \t]*:|(?:{_BECAUSE}|the|its?|this|which|with|while)\b))|--?[ \t]+[^\W\d]|[–—][ \t]*[^\W\d]"
    rf"|[✅⭐★☆✓✔]+\s*?$|\((?:very |quite )?{_any_word('comment')}\b[^()\n\d]{{0,40}}\)"
    rf"|\((?:it|no|minor|missing|one|two|\d+ [a-z]{{3,}}|because|due)\b|\(\d+ ?%\)"
    rf"|(?:{_BECAUSE}|{_any_word('after_level')})\b|(?-i:[A-Z])[a-z]* (?-i:[a-z])[a-z]* \w))"
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
        words = {word: self.numbers[n] for n, word in enumerate(_NUMBER_WORDS) if n in self.numbers}
        self.scores = keyed | self.names
        self.low, self.top = min(self.numbers, default=0), self.highest or max(self.numbers, default=-1)
        top = rf"(?:{self.top:g}(?:\.0)?|{_NUMBER_WORDS[int(self.top)] if 0 <= self.top <= _TEN else '(?!)'})"
        ends = rf"(?<![\w.,]){self.low:g}[ \t]*(?:-|–|to|bis|a|à)[ \t]*{self.top:g}(?![\w/%])"
        self.own_scale = re.compile(
            rf"(?i)(?:[(\[,][ \t]*|\bon (?:a|the) )?(?:\bscale\b[: ]*(?:of |from )?)?{ends}(?: scale)?[)\]]?"
            rf"|(?:[(,][ \t]*|(?<=score )|(?<=rating )|(?<=grade ))"
            rf"out of (?:a (?:possible|maximum of|total of) )?{self.top:g}\b\)?"
            rf"|\(?[满滿]分(?:为|是)?{self.top:g}分\)?,?"
            rf"|\(?{self.top:g}(?:点満点(?:中|で)?|점 ?만점(?: ?중|에)?)\)?"
        )
        self._free = self._pattern(self.names, top)
        self._keyed = self._pattern(self.scores | words, top)
        self._words = words
        pairs = (pair for name in self.scores for pair in self._patterns_of(name))
        self._name_patterns = [(score, re.compile(pattern)) for score, pattern in pairs]

    def _patterns_of(self, name: str) -> Iterator[tuple[float, str]]:
        label, subject = _any_of([name]), r"\b(?:answer|response|it|this|verdict)"
        alone = rf"|(?:^|[.!?:(])\W{{0,9}}+{label}\W{{0,9}}(?:[.)!]|$)" if " " in name else ""
        yield self.scores[name], rf"(?im)(?:\A\W*|{subject}(?: is|'s) (?:\w+ly |therefore )?){label}{alone}"
        if not self.numbers:
            yield 1 - self.scores[name], rf"(?i){subject} is(?:n't| not) (?:\w+ly )?{label}"

    def _pattern(self, names: Iterable[str], top: str) -> re.Pattern[str]:
        over = rf"{_OVER}{top}(?![\d.,]*\d){_UNIT}" if self.low >= 0 else r"(?!)"
        percent = r"|[ \t]*(?:%|per ?cent\b)" if self.highest == _HUNDRED else ""
        label = rf"(?:[ \t]*(?:[-–—:=,.(\[][ \t]*)?[\"']?(?P<label>{_any_of(self.names)}))?"
        again = rf"(?:[ \t]*[(\[:,=][ \t]*(?P<again>{_NUMBER})(?:{over})?|{over})?"
        return re.compile(
            rf"(?im)(?:[\"'(\[{{ \t⭐★☆✅]|<(?=\d{{1,3}}>))*"
            rf"(?:(?P<number>{_NUMBER}){_UNIT}(?P<explicit>(?:{over}{percent})?)"
            rf"{_CLOSED}{label}|(?P<name>{_any_of(names)}){_CLOSED}{again}){_CLOSED}{_ENDS}"
        )

    def read(self, text: str, at: int, *, keyed: bool = False) -> _Level | None:
        """Read the level at a position: ``4``, ``4/5``, ``4 (Mostly correct)``, ``Mostly correct (4)``.

        Args:
            text: result of ``_plain``.
            at: its position, after brackets and quotation marks.
            keyed: whether a word such as ``Score`` precedes it, so that ``True`` and ``four`` are levels.
        """
        match = (self._keyed if keyed else self._free).match(text, at)
        if match is None:
            return None
        name, number = match["name"] or match["label"], match["number"] or match["again"]
        scores = {self.score(number, is_explicit=bool(match["explicit"]))} if number else set()
        scores |= {(self.scores | self._words).get(_key(name))} if name else set()
        if len(scores) > 1 or (score := scores.pop()) is None:
            return None
        start, end = match.span("number" if match["number"] else "name")
        return _Level(score, start, end, match.end(), begin=start)

    def whole(self, text: str) -> _Level | None:
        """Read a text that consists of a level only."""
        level = self.read(text, 0, keyed=True)
        return level if level is not None and not text[level.after :].strip(" \t.") else None

    def scores_of_names(self, text: str) -> Iterator[float]:
        """Find the scores of levels whose names a text applies to the answer: "it is incorrect"."""
        for score, pattern in self._name_patterns:
            if pattern.search(text):
                yield score

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


_levels_of = lru_cache(maxsize=64)(_Levels)


def _key(name: str) -> str:
    return " ".join(re.split(r"[\s_-]+", name.casefold()))


def _any_of(names: Iterable[str]) -> str:
    """Match any of some names, the longest first; hyphens and underscores stand for spaces."""
    ordered = sorted(names, key=len, reverse=True)
    either = "|".join(r"[ \t_-]+".join(map(re.escape, name.split())) for name in ordered)
    return rf"(?:{either or '(?!)'})(?![\w%]|['-]\w)"


# Statements

_KEY = (
    rf"(?P<words>(?:{_any_word('final', 'qualifier')},?[ \t]+){{0,6}})(?:(?:(?P<score>{_any_word('score')})"
    rf"|(?P<verdict>{_any_word('verdict')}|{_any_word('outcome')}(?=[ \t]*[:=]))"
    rf"|(?P<answer>{_any_word('answer')})(?=[ \t]*:[ \t]*[^\W\d]))(?![\w-])"
    rf"(?P<suffix>(?:[ \t]+{_any_word('final', 'assigned')})?)"
    rf"|(?P<unspaced>{_any_word('unspaced_owner', 'final_unspaced')}?[ 的]?{_any_word('unspaced')}))"
    r"(?: I(?: would|'d)? (?:assign|give|award))?(?:(?: (?:for|of|to))? th(?:e|is) (?:answer|response))?"
    r"(?P<note>[ \t]*[(\[][^()\[\]\n]*[)\]])?[ \t\"')\]]*"
    rf"(?P<join>[:=|]|--?>?|→|–|—| {_any_word('is')}\b|{_any_word('is_unspaced')}|(?=\n)| "
    r"|(?(unspaced)(?=\d)|(?!)))(?=(?P<gap>[ \t|:=\"']*(?:\n\s{0,99})?(?:an?[ \t])?))"
)
_GIVING = (
    rf"(?:(?:(?:(?:I|we){_any_word('auxiliary')}?(?: {_any_word('adverb')})? {_any_word('judge_gives')}"
    rf"|{_any_word('foreign_judge_gives', 'giving')}|{_any_word('subject')} (?:{_any_word('answer_gets')}"
    r"|(?P<is>is(?: therefore| thus| clearly)?(?= +[^\W\d])))|it's(?= an? )|(?:thus|therefore|hence|so)[,:])"
    rf"(?:[ \t]+{_any_word('object')}\b){{0,12}}+[ \t:]+)|{_any_word('unspaced_giving')})"
)
_LEAD = (
    rf"(?:{_any_word('lead')}[ \t]*[,:–—-]*[ \t]*|{_any_word('long_lead')}\b[^.!?\n\d]{{0,90}}?,?[ \t]+"
    rf"|{_any_word('unspaced_lead')},?)?"
)
_STATEMENT = re.compile(
    r"(?im)(?:^(?!$)[ \t]*+|(?<=[.!?;])[ \t]+|(?P<clause>(?<=[,:–—])[ \t]+"
    rf"|(?<=,)(?={_any_word('unspaced_lead')})))[^\w\n]{{0,40}}+"
    rf"(?:\w{{1,3}}[.)][ \t]+)?(?P<lead>{_LEAD})(?:{_KEY}|{_GIVING})"
)
_FINAL_ANSWER = re.compile(r"(?im)^\W{0,9}final answer[ \t]*:(?=[ \t]*\d[^\n]*\s*\Z)")
_FINAL = re.compile(rf"(?i){_any_word('final', 'final_unspaced')}")
_MARKS = (":", "=", "|", "->", "-->", "-", "--", "→", "–", "—")


def _statements(text: str, levels: _Levels) -> Iterator[_Level]:
    """Find lines and sentences that state a level: ``Score: 4``, "I'd rate this 4/5", "It is correct"."""
    for match in _STATEMENT.finditer(text):
        has_key, join, begin = match["gap"] is not None, (match["join"] or "").strip(), match.start()
        position = match.end("gap") if has_key else match.end()
        level = levels.read(text, position, keyed=not (match["is"] or match["answer"]))
        rest_of_line = text[level.after :].partition("\n")[0].strip(" \t.|") if level else ""
        if ("\n" in (match["gap"] or "") and rest_of_line) or _OTHERS.search(match["lead"]):
            continue  # a heading above a text that begins with a number, or another judge's level
        if match["clause"] is not None:
            nearest = max(0, begin - _LONGEST_CLAUSE)
            begin = max(nearest, *(text.rfind(mark, nearest, begin) + 1 for mark in ".!?;:\n"))
            if (has_key and join in (*_MARKS, "")) or _NOT_OWN.search(text, begin, match.start()):
                continue
        is_dash = levels.low < 0 and join in ("-", "–", "—")
        if level is not None and not (match["note"] or "").strip() and not is_dash:
            key = " ".join(filter(None, match.group("words", "verdict", "suffix", "unspaced")))
            yield replace(level, begin=begin, has_key=has_key, is_final=bool(_FINAL.search(key)))
        elif match["score"] and join in _MARKS:
            raise _UnclearError


def _lone_levels(text: str, levels: _Levels, *, score_last: bool) -> Iterator[_Level]:
    """Find a level that the reply begins with, or that is its last line where the score comes last."""
    text = _FINAL_ANSWER.sub(_blank_match, text)
    start, line = len(text) - len(text.lstrip(" \t\n\"'([{|✅❌⭐★")), text.rstrip().rfind("\n") + 1
    last = levels.read(text, line, keyed=True)
    if score_last and last is not None and last.start > start and not text[last.after :].strip(" \t\n."):
        yield replace(last, begin=line)
    level = levels.read(text, start)
    if level is None or ("❌" in text[:start] and level.score > _MIDDLE):
        return
    stated, rest = text[level.start : level.after], text[level.after :].rstrip(" \t\n.|")
    follower = rf"(?m)^[ \t]*{int(stated) + 1}\b" if stated.isdecimal() else "(?!)"  # of an item of a list
    is_label = _key(text[level.start : level.end]) in levels.labels or rest.startswith("\n")
    # "Right, so" and "Correct: the Nile" state nothing.
    is_word = stated[0].isalpha() and not re.search(r"\d", stated) and (not is_label or rest.startswith(":"))
    is_numeral = rest.startswith(".") and not re.search(r"[^\W\d]|/", stated)
    is_item = is_numeral or re.search(follower, rest) or re.match(r"[ \t]*[A-Z]", rest)
    if not rest or not (is_word or is_item):
        yield replace(level, begin=0)


# Contradictions and qualifications of the level

_OTHERS_SPEAK = re.compile(rf"(?i)\b{_any_word('others_speak')}\b")
_JUDGE_SPEAKS = re.compile(rf"(?i)\b{_any_word('judge_speaks')}\b|评")
_NOT_OWN = re.compile(rf"(?i)^\W*no\b|\b{_any_word('not_own', 'others')}\b|n't\b|如果|若|学生|作者|评委|之前")
_OTHERS = re.compile(rf"(?i)\b{_any_word('others')}\b")
_HYPOTHESIS = re.compile(rf"(?i)\b{_any_word('hypothesis')}\b")
_HEADING = re.compile(
    r"(?i)\W*(?:begin|(?:begin(?:ning of)? )?(?:the |student'?s? )?(?:answer|response|text|candidate))\W*"
)
_CONDITION = re.compile(
    rf"(?i)\b{_any_word('condition')}\b|{_any_word('unspaced_condition')}|\A\W? *-?\d+ *(?:[.,;)\]]|\Z)"
)
_EXPLAINED = re.compile(
    rf"(?i),? *{_BECAUSE}\b(?!.*\b(?:but|or|if|unless|otherwise|maybe|perhaps|possibly|probably)\b)"
    r"|: (?:it|th(?:e|is) (?:answer|response)) (?:says|claims)\b"
)
_CONTRAST = re.compile(r"(?i)\W{0,3}[^\W\d]+(?: [^\W\d]+)? (?:but|although)\b(?![^.!?\n]*(?:\d|\bI\b))")
"""Two sides of an answer, such as "accurate but brief"."""
_HARMLESS = re.compile(rf"(?i)\b{_any_word('harmless')}\b[^.,;!?\n]{{0,20}}")
_RETRACTION = re.compile(
    rf"(?i)\b{_any_word('retraction')}\b|(?:^|[.!?\n])\W{{0,9}}+{_any_word('retraction_start')}(?![a-z])"
)
_JUDGING = re.compile(
    r"(?i)\b(?:(?-i:I)|me|my|myself|we|scor(?:e[sd]?|ing)|rating|rated|grade[sd]?|verdict|marks)\b"
)
_OTHER_NUMBER = re.compile(
    rf"(?im)(?:\b{_any_word('before_level')}[ \t]+|(?:^|[.!?]|explanation:|reason:)[ \t]{{0,9}}"
    r"(?=[^\n.]{1,9}[ \t]*(?:\.[ \t]*)?$))(?P<number>\d+(?:[.,]\d+)?)"
    r"(?=(?:/\d+)?[ \t]*(?:[.,;:!?)]|$|\b(?:or|for|would|is|fits|at|instead|because|points?)\b))"
)
_REPORTED = re.compile(
    r"(?i)\b(?:rated|graded|scored|gave|assigned|awarded|grades|rates|gives)\b[^.!?\n]{0,40}?\b(?P<number>\d+)"
)
_FOREIGN = re.compile(rf"(?im){_any_word('foreign')}")
_FLAWED = re.compile(rf"(?im)\b{_any_word('flawed')}")
_FLAWLESS = re.compile(rf"(?im)(?<!not )(?<!n't )\b{_any_word('flawless')}\b")


def _check_sentence(text: str, level: _Level) -> None:
    """Refuse a level that the words before it attribute to others, or that the words after it qualify."""
    *lines, before = text[: level.begin].rstrip(" \t\"'([").split("\n")
    lead, introduces = before, not before.endswith((".", "!", "?", ";")) or before.endswith("e.g.")
    if not re.search(r"\w", lead):
        lead = next((line.strip() for line in reversed(lines) if line.strip()), "")
        introduces = lead.endswith((":", "->", "says", "reads")) or bool(_HEADING.fullmatch(lead))
    is_reported = introduces and (_OTHERS_SPEAK.search(lead) or not _JUDGE_SPEAKS.search(lead))
    tail = re.split(r"[.!?\n]", text[level.after :], maxsplit=1)[0].strip()
    opening = tail if tail[:1] in ("", ",", "(", ";") else " ".join(tail.split()[:3])
    is_explained = _EXPLAINED.match(opening) or _CONTRAST.match(tail)
    is_conditional = _CONDITION.search(opening) and not is_explained
    if is_reported or is_conditional or _HYPOTHESIS.search(before):
        raise _UnclearError


def _check_rest(text: str, texts: str, stated: Sequence[_Level], levels: _Levels) -> None:
    """Refuse a reply if anything outside its statements contradicts or qualifies the level.

    Args:
        text: result of ``_plain``, without objects of JSON.
        texts: the texts in these objects.
        stated: all statements, which agree.
        levels: of the template.
    """
    score, begin = stated[0].score, min(level.begin for level in stated)
    is_foreign = _FOREIGN.search(text)
    for level in stated:
        text = _blank(text, level.begin, level.after)
    numbers = {match["number"] for match in _OTHER_NUMBER.finditer(_HARMLESS.sub(" ", text))}
    if not any(level.has_key for level in stated):
        numbers |= {match["number"] for match in _REPORTED.finditer(text)}
    everything, after = f"{text}\n{texts}", _HARMLESS.sub(" ", text[begin:])
    others = [*levels.scores_of_names(everything), *map(levels.score, numbers)]
    if score == levels.scores.get("uncertain"):
        after = re.sub(r"\b(?:I|my)\b", " ", after)
    is_doubted = _JUDGING.search(after) or _RETRACTION.search(f"{after}\n{_HARMLESS.sub(' ', texts)}")
    is_contrary = (score > _MIDDLE and _FLAWED.search(everything)) or (
        score < _MIDDLE and _FLAWLESS.search(everything)
    )
    if is_foreign or is_doubted or is_contrary or any(other not in (score, None) for other in others):
        raise _UnclearError


# JSON

_REASONS = _any_word("explanation")
_FIELD = re.compile(
    rf"(?:(?:final|overall|total|the|results?|evaluation|output|answer|response|assessment|arguments|data"
    rf"|properties|parameters|input|review|judge?ment) )*"
    rf"(?:(?P<score>{_any_word('score', 'unspaced')})|{_any_word('verdict', 'outcome')}|label)(?: value)?"
)
_LIMIT = re.compile(r"\b(?:max|maximum|scale|out of|range)\b")
_ADJUSTMENT = re.compile(
    r"\b(?:correct(?:ed|ion)|adjust\w*|penalt\w*|deduct\w*|revis\w*|delta|valid|verified|overrid\w+|bonus)\b"
)
_COUNT = re.compile(
    r"\b(?:confidence|errors?|mistakes|count|number|words?|facts|missing|id|version|weight)\b"
)
_LOOSE_OPENING = re.compile(r"\{\s*(?:(?://|#)[^\n]*+\s*+)?[\"']?[^\W\d][\w -]{0,30}[\"']?\s*:")
_LOOSE_END = re.compile(r"\}(?=\s*(?:\Z|\n|```|~~~))")
_LOOSE_FIELD = re.compile(
    r"(?<=[{,\n])[ \t]{0,99}[\"']?(?P<key>[^\W\d][\w -]{0,30})[\"']?\s*:\s*"
    r"(?P<value>\"[^\"\n]{0,40}\"|'[^'\n]{0,40}'|[^\s,{}\"'][^,{}\"'\n]{0,20}?)"
    r"(?=\s*(?:[,}\n]|//|#|\Z)|\s+[\"'][\w -]{1,30}[\"']\s*:)"
)
_LOOSE_REASON = re.compile(
    rf"(?is)[\"']?\b{_REASONS}[\"']?\s*:\s*(?P<quote>[\"']?)(?P<text>.*?)(?P=quote)\s{{0,99}}"
    r"(?=,\s{0,99}[\"']?\w{1,30}[\"']?\s{0,9}:|,?\s{0,99}\}?\s{0,99}\Z)"
)
_MOST_MARKS, _MOST_STATEMENTS, _LONGEST_LEVEL, _LONGEST_CLAUSE, _LONGEST_TAG = 1000, 50, 3, 400, 25


@dataclass(frozen=True)
class _JsonObject:
    """A JSON object in a reply, or what a model wrote as one.

    Attributes:
        start: position of its first character.
        written: its text in the reply.
        fields: the keys that lead to each value, and the value; numbers are as written.
    """

    start: int
    written: str
    fields: Sequence[tuple[tuple[str, ...], object]]

    @property
    def explanation(self) -> str:
        """Its explanation; empty without one."""
        texts = (str(value) for path, value in self.fields if re.fullmatch(f"(?i){_REASONS}", path[-1]))
        return next(texts, "").strip()

    @property
    def texts(self) -> str:
        """The texts after its score, one per line."""
        keys = [_FIELD.fullmatch(path[-1].lower().replace("_", " ")) is not None for path, _ in self.fields]
        fields = self.fields[keys.index(True) if True in keys else 0 :]
        return "\n".join(value for _, value in fields if isinstance(value, str))

    def level(self, levels: _Levels) -> _Level | None:
        """Read the level under its keys; ``None`` if no key is about a score."""
        stated: list[_Level | None] = []
        others: list[float] = []
        for path, value in self.fields:
            key = re.sub(r"(?<=[a-z])(?=[A-Z])|[\W_]+", " ", " ".join(path)).lower()
            written, is_bool = str(value), isinstance(value, bool)
            is_value = is_bool or re.fullmatch(_NUMBER, written)
            is_correct = is_bool and re.fullmatch("(?:is |answer )*correct", key)
            field = _FIELD.fullmatch(key)
            level = levels.whole(written) if written.count(" ") <= _LONGEST_LEVEL else None
            if level is not None and (field or is_correct):
                stated.append(self._locate(level, path[-1], is_bool=is_bool))
            elif _LIMIT.search(key):
                is_same = written == f"{levels.top:g}" or levels.own_scale.search(f"({written}")
                stated += [] if is_same else [None]
            elif (is_value and (field or _ADJUSTMENT.search(key))) or (field and field["score"]):
                stated.append(None)
            elif level is not None and len(path) == 1 and not _COUNT.search(key):
                others.append(level.score)
        # One other level may be a revision of the score; several are those of criteria.
        scores = {level.score if level else None for level in stated}
        scores |= set(others if len(others) == 1 else ())
        if stated and (len(scores) > 1 or None in scores):
            raise _UnclearError
        return stated[0] if stated else None

    def _locate(self, level: _Level, key: str, *, is_bool: bool) -> _Level:
        """Return a level that is the value of a key, with its position in the reply."""
        match = re.search(rf"{re.escape(key)}[\"'“”]?\s*[:：]\s*[\"'“”]?\s*", self.written)
        at = self.start + (match.end() if match else 0)
        end = at if is_bool else at + level.end - level.start
        return replace(level, start=at, end=end, after=self.end, begin=self.start, has_key=True)

    @property
    def end(self) -> int:
        """Position after its last character."""
        return self.start + len(self.written)


def _json_objects(reply: str, answer: str, text: str) -> Iterator[_JsonObject]:
    """Find the outermost objects of a reply that are not in a quotation.

    Args:
        reply: without reasoning.
        answer: the same with plain characters.
        text: the same without markup and block quotations.
    """
    decoder = json.JSONDecoder(
        object_pairs_hook=list, parse_int=str, parse_float=str, parse_constant=str, strict=False
    )
    end = 0
    for brace in islice(re.finditer(r"\{", text), _MOST_MARKS):
        start = brace.start()
        if start < end:
            continue
        try:
            pairs, end = decoder.raw_decode(reply, start)
            fields = list(_fields(pairs, ()))
        except (json.JSONDecodeError, RecursionError):
            if not _LOOSE_OPENING.match(answer, start):
                continue
            closing = _LOOSE_END.search(answer, start)
            end = closing.end() if closing else len(answer)
            fields = list(_loose_fields(answer[start:end]))
        # An object within a sentence is what the sentence is about.
        before = text[text.rfind("\n", 0, start) + 1 : start].rstrip()
        is_mention = before[-1:] not in {"", *".!?:>[]}(,"} or re.match(" +[a-z]", answer[end : end + 9])
        yield _JsonObject(start, reply[start:end], [] if is_mention else fields)


def _fields(value: object, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], object]]:
    for item in value if isinstance(value, list) else ():
        key, inside = item if isinstance(item, tuple) else ("item", item)
        yield from _fields(inside, (*path, key))
    if not isinstance(value, list) and path:
        yield path, value


def _loose_fields(written: str) -> Iterator[tuple[tuple[str, ...], object]]:
    """Read short values and the explanation of an object with wrong quotation marks, commas or comments."""
    for match in _LOOSE_FIELD.finditer(written):
        value = match["value"].strip("\"' \t")
        yield (match["key"],), {"true": True, "false": False}.get(match["value"].lower(), value)
    if (reason := _LOOSE_REASON.search(written)) is not None:
        yield ("explanation",), re.sub(r"\\([\"'])", r"\1", reason["text"].lstrip("\"'"))


def _without_objects(text: str, objects: Sequence[_JsonObject]) -> str:
    for item in objects:
        text = _blank(text, item.start, item.end)
    return text


# The text

_TEMPLATE_TOKENS = r"<\|[^<>|\n]{1,40}\|>|\A\s*<s>|</s>\s*\Z|<end_of_turn>|<pad>|\[/INST\]|<bos>|<eos>"
_FENCE = r"(?:```|~~~)[\w-]*"
_STRUCK_OUT = re.compile(r"(?i)~~[^~\n]+~~|<(s|del|strike)>[^<]*</\1>")
_MARKUP = (
    # Code with words below it is quoted, unless these explain it; and so are the parts of the material.
    rf"{_FENCE}\n[^{{`]*(?:```|~~~)(?=[ \t]*\n\s*(?!\W{{0,9}}{_REASONS})\S)",
    r"<(student|submission|response|candidate|question|user|reference|quote|text|essay|system|input|document"
    r"|(?!final)[a-z]{1,20}_(?:answer|text|input|response))\b[^<>\n]{0,99}>.*?</\1>",
    r"\[(?:begin )?(?:answer|text|student|response|candidate)\b[^\]\n]*\].*?(?:\[(?:end|/)[^\]\n]*\]|\Z)",
    r"<!--.*?-->|&nbsp;|\"{3}.*?\"{3}",
    rf"{_FENCE}|</?(?:br|b|i|u|em|strong|span|p|div|h[1-6]|font|mark|code|center|tool_call)\b[^<>\n]{{0,60}}>",
    r"\*+|(?<!\w)_+|_+(?!\w)|\\[\[\]()]|\\text\w*\{|(?m:^[ \t]*(?:#{1,6}[ \t]*(?=\S)|(?:=+|-{3,})[ \t]*$))",
)
_TAG = re.compile(
    r"(?i)\[(?P<mark>result|score|rating|verdict)\]|(?P<box>\\boxed\{)"
    r"|<(?P<close>/?)(?P<name>[^\W\d]\w{0,20})[^<>\n]{0,60}>(?P<is_short>(?=\s{0,9}[^<>\n:]{1,40}\s{0,9}</))?"
)
_MENTION = re.compile(rf" {{1,8}}(?!(?:very |quite )?{_any_word('comment')}\W*\Z)[a-z]")
_QUOTES = re.compile(
    r"(?P<key>\"[^\"\n]*\"|'\w+')(?=[ \t]*:)|\"(?P<double>[^\"\n]{2,600})\"|`(?P<code>[^`\n]{1,300})`"
    r"|(?<![\w'])'(?P<single>[^'\n]{2,300}(?:'\w[^'\n]{0,200}){0,6})'(?![\w'])"
)
_WIDE = str.maketrans(
    "：＝／％．，（）［］－−’‘“”„«»「」『』、；！？【】｜〜～。\r\v\f\ufe0f\u20e3",
    ':=/%.,()[]--\'\'""""""""",;!?[]|~~\n\n\n\n  ',
)


def _plain_characters(reply: str) -> str:
    """Rewrite a reply at the same length with ASCII digits, quotation marks and punctuation."""
    text = reply.replace("\r\n", " \n").translate(_WIDE)
    return text if text.isascii() else "".join(map(_plain_character, text))


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
    return re.sub(f"(?i){_TEMPLATE_TOKENS}", _blank_match, _blank(text, 0, answer_start(text)))


def _plain(text: str) -> str:
    """Rewrite a reply at the same length without markup and block quotations, and with tags as keys."""
    # Replies do not have so many blanks, and patterns would try all ways to split them.
    text = re.sub(r"[ \t]{200,}", lambda gap: ";".center(len(gap[0]), "\n"), text)
    if any(line.strip() and not line.lstrip().startswith(">") for line in text.split("\n")):
        text = re.sub(r"(?m)^[ \t]*>[^\n]*$", _blank_match, text)
    for pattern in _MARKUP:
        text = re.sub(f"(?is){pattern}", _blank_match, text)
    text = text if text.count("$") % 2 else text.replace("$", " ")
    return _TAG.sub(_key_line, text)


def _key_line(tag: re.Match[str]) -> str:
    """Rewrite a tag as the key of a line: ``<score>`` as ``score:``; within a sentence, as blanks."""
    blanks, text, name = " " * len(tag[0]), tag.string, (tag["name"] or "score").replace("_", " ").lower()
    if name in ("s", "del", "strike"):
        return tag[0]
    if tag["close"]:
        return blanks if _MENTION.match(text, tag.end()) else "\n".ljust(len(blanks))
    before = text[text.rfind("\n", 0, tag.start()) + 1 : tag.start()].rstrip()
    is_last = tag["mark"] and re.match(r"\W*\d+(?:/\d+)?\W*\Z", text[tag.end() : tag.end() + 20])
    if before and before[-1] not in ".!?>" and not is_last:
        return blanks
    key = "score:" if name == "answer" else f"{name}:"
    return f"\n{key if tag['name'] is None or tag['is_short'] is not None else ''}".ljust(len(blanks))


def _blank_quotation(quote: re.Match[str]) -> str:
    """Blank a quotation, unless it is only a level in quotation marks or in code."""
    if quote["key"]:
        return quote[0]
    inside = quote["double"] or quote["single"] or quote["code"]
    is_level = re.fullmatch(r"\s*(?:[\d/.,% ]+|[^\W\d]+(?:[ _-][^\W\d]+){0,2}\.?)\s*", inside)
    return quote[0].replace("`", " ") if is_level else _blank_match(quote)


def _blank_match(match: re.Match[str]) -> str:
    return re.sub(r"[^\n]", " ", match[0])


def _blank(text: str, start: int, end: int) -> str:
    return text[:start] + re.sub(r"[^\n]", " ", text[start:end]) + text[end:]


# The explanation

_REASON_TAG = re.compile(rf"(?is)<(?P<tag>{_REASONS})>(?P<text>.*?)</(?P=tag)>")
_REASON_KEY = re.compile(
    rf"(?im)^[ \t\"'(>-]*(?:(?:{_REASONS}|evaluation|assessment)[\"']?[ \t]*[:=-]|{_REASONS}[ \t]*$)"
)
_BEGINNING = re.compile(
    r"(?:\s|[\ufe0f\u20e3.,;:!|)\]}/…✅⭐★☆–—，、。：；！）]|-+(?!\w)|\\[\])]|</[\w-]+>|<(?:answer|evaluation|result)>"
    r"|\$+|```\w*|#+ |\*+(?=[\s.,;:!]|\Z)|(?:bewerten|geben)\b"
    r"|[(（][^()（）]*(?:[满滿]分|만점|満点|scale|out of)[^()（）]*[)）])*"
)
_ENDING = re.compile(r"(?:</?[\w-]{1,20}>|\\[\[(]|\$|```(?:json)?|[#|<\[\\]|--)\Z")


def _clean(text: str) -> str:
    """Remove what is left of the markup of a score at the edges of an explanation."""
    beginning = _BEGINNING.match(text)
    text = text[beginning.end() if beginning else 0 :].rstrip()
    while (ending := _ENDING.search(text, max(0, len(text) - _LONGEST_TAG))) is not None:
        text = text[: ending.start()].rstrip()
    if text.endswith(")") and text.count("(") < text.count(")"):
        text = text[:-1].rstrip()
    for mark in ("**", "__", "*", "`"):
        if text.count(mark) % 2:
            text = text.removeprefix(mark) if text.startswith(mark) else text.removesuffix(mark).rstrip()
    return text


def _explanation(reply: str, text: str, stated: Sequence[_Level]) -> str:
    """Find the explanation: in a tag, after a key such as "Explanation", after the score, or before it."""
    if (tag := _REASON_TAG.search(reply)) is not None:
        return _clean(tag["text"])
    start = len(reply) - len(_without_reasoning(reply).lstrip())
    if (key := _REASON_KEY.search(text)) is not None:
        start = key.end()
    own = [level for level in stated if level.has_key] or stated
    before = _clean(reply[start : max(start, own[0].begin)])
    after = _clean(reply[max(start, own[-1].after) :])
    return before or after if key is not None else after or before
