"""Formulas and expressions of program code in texts, in a form in which equal ones are alike."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import product
from typing import NamedTuple

from semscale.guards.findings import Span
from semscale.guards.text import Text
from semscale.guards.words import RECENT_TEXTS

_MOST_COMPARED = 20
_MOST_TOKENS = 2000
_DEEPEST = 30
_MOST_STEPS = 200
"""Largest number of operators, brackets and powers of one expression.

Functions that read a tree call themselves for each level, and a longer expression is no formula that a person
wrote.
"""
_MOST_COPIES = 4
"""Largest number of operators that use an operand twice in one expression: each can double the tree."""
_LONGEST_PROSE = 50
"""Largest number of tokens of words joined by marks in which formulas are sought."""

_SAME = {
    "&&": "and",
    "||": "or",
    "∧": "and",
    "∨": "or",
    "¬": "!",
    "≠": "!=",
    "<>": "!=",
    "===": "==",
    "!==": "!=",
    "≤": "<=",
    "≥": ">=",
    "×": "*",
    "·": "*",
    "⋅": "*",
    "÷": "/",
    "−": "-",
    "**": "^",
    "→": "->",
    "⇒": "=>",
    "≡": "==",
}
"""Spellings of operators, with the one that stands for all."""
_STRENGTHS = (
    ("+=", "-=", "*=", "/=", ":=", "->", "=>"),
    ("or",),
    ("and",),
    ("=", "==", "!=", "<", ">", "<=", ">=", "∈", "∉", "⊂", "⊆", "⊃", "⊇", "~", "≈"),
    ("|", "∪"),
    ("&", "∩"),
    ("<<", ">>"),
    ("+", "-", "±"),
    ("*", "/", "%", "//"),
    ("^",),
)
"""Operators by how strongly they bind their operands, the weakest first."""
_STRENGTH = {operator: level for level, operators in enumerate(_STRENGTHS) for operator in operators}
_COMMUTATIVE = frozenset(("or", "and", "==", "!=", "|", "∪", "&", "∩", "+", "*", "≈"))
_TURNED = {">": "<", ">=": "<=", "⊃": "⊂", "⊇": "⊆"}
"""Operators that become another one if their operands are exchanged."""
_COPYING = ("+=", "-=", "*=", "/=")
_PREFIXES = ("!", "-", "~")
_JOINING = ("-", "/", "|", "&", "~", "and", "or")
"""Operators that also join words ("salt & pepper"); all operands of a formula must be symbols."""
_RELATING = (">", "<", "+", "=", "*", "->", "=>")
"""Operators that also relate words: "File > Save"; one operand of a formula must be a symbol."""
_OPERATORS = sorted({*_SAME, *_STRENGTH, "!", "++", "--"}, key=len, reverse=True)
_LETTERS = r"(?:(?![⁰¹²³⁴⁵⁶⁷⁸⁹])\w)"
_TOKEN = re.compile(
    rf"""(?P<string>"[^"\n]{{0,100}}"|'[^'\n]{{0,100}}'(?!\w))
    |(?P<power>[⁰¹²³⁴⁵⁶⁷⁸⁹]+)
    |(?P<operand>[A-Z](?:\+\+|\#)(?!\w)|(?:\d+(?:\.\d+)?|\.\d+|[^\W\d]){_LETTERS}*(?:\.[^\W\d]{_LETTERS}*)*)
    |(?P<operator>{"|".join(re.escape(operator) for operator in _OPERATORS if not operator.isalpha())})
    |(?P<mark>[^\s`])""",
    re.VERBOSE,
)
_POWER = re.compile("[⁰¹²³⁴⁵⁶⁷⁸⁹]")
_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
_OPERATOR_MARKS = frozenset("=<>*^|&+~±×·⋅÷≤≥≠≈≡∈∉∩∪⊂⊆⊃⊇∧∨¬→⇒−")
_BESIDE_MARKS = {
    mark: re.compile(pattern)
    for mark, pattern in {
        "-": r"\s-\s|--|(?<![^\W\d_])[^\W\d_]-|-(?:[^\W\d_](?!\w)|\d)",
        "/": r"\s//?\s|(?<![^\W\d_])[^\W\d_]/|/(?:[^\W\d_](?!\w)|\d)",
        "%": r"\s%\s|\w%\w",
        "(": r"\w\(",
        "[": r"\w\[",
        "!": r"(?<!\w)!\w",
        "and": r"(?:_\w{0,40}|\b[a-z]) and (?:\w{1,40}_|[a-z]\b)",
        "or": r"(?:_\w{0,40}|\b[a-z]) or (?:\w{1,40}_|[a-z]\b)",
    }.items()
}
"""What is beside a mark or word that may be an operator, by the mark."""
_TAG = re.compile(r"</?[a-zA-Z][\w-]*(?:\s+[\w-]+=(?:\"[^\"]*\"|'[^']*'))*\s*/?>")
_WORD = re.compile(r"\S+")
_WEB_ADDRESS = re.compile(r"(?<!\w)\w+://\S+")
_DOT_AND_NAME = re.compile(r"\.\w+")
_PLURALS = ("s", "es")
_VARIABLE = re.compile(r"[_\d]|^[a-z]$")
_INNER_CAPITAL = re.compile(r"[a-z][A-Z]")

Node = tuple["str | Node", ...]
"""An operator, call or index with its operands, or an operand alone."""


class Formula(NamedTuple):
    """A formula in a text.

    Attributes:
        tree: its structure: operators that commute have their operands in order, and a > b is b < a.
        start: its first character.
        end: the character after its last one.
        is_weak: whether it may be prose ("not done"). It may agree with a formula, but replaces none.
    """

    tree: Node
    start: int
    end: int
    is_weak: bool = False


class _Token(NamedTuple):
    kind: str
    text: str
    start: int
    end: int


class ChangedFormula(NamedTuple):
    """A formula that another one replaces.

    Attributes:
        left: its position in the first text.
        right: the position of the other formula in the second text.
        is_reversed: whether only operands are exchanged.
    """

    left: Span
    right: Span
    is_reversed: bool


@lru_cache(maxsize=512)
def compare_formulas(left: Text, right: Text) -> tuple[list[tuple[Formula, Formula]], list[ChangedFormula]]:
    """Pair the formulas of two texts.

    Two different formulas are compared if they consist of the same operands, or of all but one.

    Args:
        left: a text.
        right: the other text.

    Returns:
        Pairs of equal formulas, and formulas that replace each other in ways other than by a number.

    Examples:
        >>> same, changed = compare_formulas(Text("if a > b: return x + 1"), Text("if b < a: return x - 1"))
        >>> len(same), [(one.left.text, one.right.text) for one in changed]
        (1, [('x + 1', 'x - 1')])
    """
    if not (_may_have_formulas(left) and _may_have_formulas(right)) and not (_denies(left) or _denies(right)):
        return [], []
    here, there = read_formulas(left.source)[:_MOST_COMPARED], read_formulas(right.source)[:_MOST_COMPARED]
    same = [(first, second) for first, second in product(here, there) if first.tree == second.tree]
    settled = {first for first, _ in same}, {second for _, second in same}
    left_rest = [formula for formula in here if formula not in settled[0] and not formula.is_weak]
    wanted = [formula for formula in there if formula not in settled[1] and not formula.is_weak]
    changed = []
    for first in left_rest:
        partner = next((second for second in wanted if _replaces(first, second)), None)
        if partner:
            wanted.remove(partner)
            spans = _span(first, left.source), _span(partner, right.source)
            changed.append(ChangedFormula(*spans, _parts(first.tree) == _parts(partner.tree)))
        elif first.tree[0] == "!" and (span := _find_affirmed_operand(first, right.source)):
            changed.append(ChangedFormula(_span(first, left.source), span, is_reversed=False))
    for second in wanted:
        if second.tree[0] == "!" and (span := _find_affirmed_operand(second, left.source)):
            changed.append(ChangedFormula(span, _span(second, right.source), is_reversed=False))
    return same, changed


def _may_have_formulas(text: Text) -> bool:
    """Check quickly for operators and brackets, and for what is beside those that are also marks of prose."""
    distinct, source = text.distinct, text.source
    if not distinct.isdisjoint(_OPERATOR_MARKS) or (not source.isascii() and _POWER.search(source)):
        return True
    return any(_BESIDE_MARKS[mark].search(source) for mark in distinct & _BESIDE_MARKS.keys())


def _denies(text: Text) -> bool:
    return "!" in text.distinct and _BESIDE_MARKS["!"].search(text.source) is not None


def _find_affirmed_operand(denied: Formula, source: str) -> Span | None:
    """Return the operand that a formula with "!" denies, in a text that does not deny it."""
    tokens = _tokens(source)
    matches = (at for at, token in enumerate(tokens) if token.text == denied.tree[1])
    at = next((at for at in matches if at == 0 or tokens[at - 1].text != "!"), None)
    return (
        None
        if at is None
        else Span(tokens[at].start, tokens[at].end, source[tokens[at].start : tokens[at].end])
    )


def _span(formula: Formula, source: str) -> Span:
    return Span(formula.start, formula.end, source[formula.start : formula.end])


def _replaces(first: Formula, second: Formula) -> bool:
    """Tell whether two formulas have the same operands, or all but one that is not a number."""
    here, there = (Counter(_operands(formula.tree)) for formula in (first, second))
    only_here, only_there = here - there, there - here
    if not only_here and not only_there:
        return True
    if only_here.total() != only_there.total() or only_here.total() > 1 or not here & there:
        return False
    (name,), (other,) = only_here, only_there
    return not (name[0].isdecimal() or other[0].isdecimal()) and _shape(first.tree) == _shape(second.tree)


def _operands(tree: "str | Node") -> Iterator[str]:
    if isinstance(tree, str):
        yield tree
        return
    for part in tree[1:]:
        yield from _operands(part)


def _parts(tree: "str | Node") -> Counter[str]:
    """Count the operators and operands of a formula."""
    if isinstance(tree, str):
        return Counter([tree])
    return sum(map(_parts, tree[1:]), Counter([str(tree[0])]))


def _shape(tree: "str | Node") -> "str | Node":
    """Return the structure of a formula without its operands."""
    return "" if isinstance(tree, str) else (tree[0], *sorted((_shape(part) for part in tree[1:]), key=repr))


@lru_cache(maxsize=RECENT_TEXTS)
def read_formulas(source: str) -> list[Formula]:
    """Find the formulas and expressions of code in a text, in order.

    Words that a mark joins in prose, as in "read/write", are no formula. A text has none if one of its
    expressions has more steps than ``_MOST_STEPS``, as formulas could only be sought in pieces of it.

    Examples:
        >>> [formula.tree for formula in read_formulas("It returns x+1, or f(a) if 5 <= n.")]
        [('+', '1', 'x'), ('call', 'f', 'a'), ('<=', '5', 'n')]
    """
    tokens = _tokens(source)
    formulas: list[Formula] = []
    at = 0
    while at < len(tokens):
        parser = _Parser(tokens, at, source)
        tree = parser.expression(0)
        end = parser.at
        if parser.is_too_long:
            return []
        if isinstance(tree, tuple) and _is_code(tree, covers_all=at == 0 and end == len(tokens)):
            start, stop = tokens[at].start, tokens[end - 1].end
            is_weak = tree[0] == "!" and "!" not in source[start:stop]
            formulas.append(Formula(tree, start, stop, is_weak))
            at = end
        else:
            at = end if end - at > _LONGEST_PROSE else at + 1
    return formulas


def _tokens(source: str) -> list[_Token]:
    source = _TAG.sub(_blank, source)
    if "@" in source or "://" in source:
        source = _WORD.sub(_without_address, source)
    tokens = []
    for match in _TOKEN.finditer(source):
        kind, text = match.lastgroup or "mark", match[0]
        text = _SAME.get(text, text) if kind == "operator" else text
        if kind == "operand" and text.lower() in ("and", "or", "not"):
            kind, text = "operator", "!" if text.lower() == "not" else text.lower()
        if kind == "string":
            text = f'"{text[1:-1]}"'
        tokens.append(_Token(kind, text, match.start(), match.end()))
        if len(tokens) == _MOST_TOKENS:
            break
    return tokens


def _blank(match: re.Match[str]) -> str:
    return " " * len(match[0])


def _without_address(word: re.Match[str]) -> str:
    """Replace addresses of pages and of mail in a word by blanks.

    The marks are sought first: a pattern of a whole address would try each beginning with each end.
    """
    text, n_mail = word[0], 0
    at = text.find("@", 1)
    if at > 0 and not _WEB_ADDRESS.match(text):
        n_mail = max((match.end() for match in _DOT_AND_NAME.finditer(text, at + 2)), default=0)
    rest = text[n_mail:]
    return " " * n_mail + (_WEB_ADDRESS.sub(_blank, rest) if "://" in rest else rest)


def _is_code(tree: Node, *, covers_all: bool) -> bool:  # noqa: PLR0911 (one return for each kind)
    """Tell whether a structure is a formula, and not words that a mark joins or a word with a plural (s).

    If nothing else is in the text, words with blanks around the mark are a formula, too.
    """
    operator, *operands = tree
    if operator == "list":
        return False
    if operator == "call":
        return len(operands) > 1 and operands[1] not in _PLURALS
    if operator == "index":  # "Paris[1]" has a footnote
        return not all(
            isinstance(part, str) and (part.isdecimal() or part.isalpha()) for part in operands[:2]
        ) or (len(operands) > 1 and not str(operands[1]).isdecimal())
    if operator not in (*_JOINING, *_RELATING):
        return True
    if operator in _JOINING and all(operand[0].isdecimal() for operand in _operands(tree)):
        return False  # a range or a date
    symbols = [_is_symbol(part) for part in operands]
    if operator in ("and", "or"):
        return all(isinstance(part, tuple) or _VARIABLE.search(part) for part in operands)
    if operator in _RELATING:
        return any(symbols) or covers_all
    return all(symbols) or (covers_all and operator in ("|", "&"))


def _is_symbol(operand: "str | Node") -> bool:
    """Tell whether an operand is no word of prose: a number, a letter, or with a digit or underscore."""
    if isinstance(operand, tuple):
        return True
    if operand[0] == '"':
        return False
    return len(operand) == 1 or not operand.isalpha() or _INNER_CAPITAL.search(operand) is not None


class _Parser:
    """Reads one expression from some tokens, as far as it goes.

    Args:
        tokens: the tokens of a text.
        at: position of the first token.
        source: the text.
    """

    def __init__(self, tokens: Sequence[_Token], at: int, source: str) -> None:
        self.at = at
        self._tokens = tokens
        self._source = source
        self._depth = self._n_steps = self._n_copies = 0

    @property
    def is_too_long(self) -> bool:
        """True if the expression has too many operators for a formula; reading ends there."""
        return self._n_steps > _MOST_STEPS or self._n_copies > _MOST_COPIES

    def expression(self, level: int) -> "str | Node | None":
        """Read operands joined by operators of a level or stronger; ``None`` if there is no operand."""
        self._depth += 1
        tree = self._operand() if self._depth < _DEEPEST else None
        while tree is not None and (operator := self._infix(level)) is not None:
            before = self.at
            self.at += 1
            right = self.expression(_STRENGTH[operator] + (operator != "^"))
            if right is None:
                self.at = before
                break
            self._n_copies += operator in _COPYING
            if self._is_step_too_many():
                break
            tree = _join_operands(operator, tree, right)
        self._depth -= 1
        return tree

    def _is_step_too_many(self) -> bool:
        """Count a step."""
        self._n_steps += 1
        return self.is_too_long

    def _peek(self, ahead: int = 0) -> _Token | None:
        position = self.at + ahead
        return self._tokens[position] if position < len(self._tokens) else None

    def _infix(self, level: int) -> str | None:
        """Return the next operator if it joins two operands: it has blanks on both sides, or on none."""
        token, following = self._peek(), self._peek(1)
        if token is None or following is None:
            return None
        if token.kind != "operator" or _STRENGTH.get(token.text, -1) < level:
            return None
        before, behind = self._tokens[self.at - 1].end < token.start, token.end < following.start
        gap = (
            self._source[self._tokens[self.at - 1].end : token.start]
            + self._source[token.end : following.start]
        )
        return token.text if before == behind and "\n" not in gap else None

    def _operand(self) -> "str | Node | None":  # noqa: PLR0911 (one return for each kind)
        token, following = self._peek(), self._peek(1)
        if token is None:
            return None
        if token.kind == "operator" and token.text in _PREFIXES:
            is_word = self._source[token.start].isalpha()
            if following is None or (not is_word and token.end < following.start):
                return None
            if token.start and not is_word and self._source[token.start - 1].isalnum():
                return None
            self.at += 1
            operand = None if self._is_step_too_many() else self._operand()
            return None if operand is None else (token.text, operand)
        if token.text == "(":
            parts = self._arguments(")")
            return None if parts is None else parts[0] if len(parts) == 1 else ("list", *parts)
        if token.kind not in ("operand", "string"):
            return None
        self.at += 1
        return self._with_endings(token.text)

    def _with_endings(self, name: str) -> "str | Node":
        """Read calls, indices, powers and ++ right after an operand."""
        tree: str | Node = name
        while (token := self._peek()) is not None and token.start == self._tokens[self.at - 1].end:
            start = self.at
            if token.kind != "power" and token.text not in ("(", "[", "++", "--"):
                break
            self._n_copies += token.text in ("++", "--")
            if self._is_step_too_many():
                break
            if token.text in ("(", "["):
                parts = self._arguments(")" if token.text == "(" else "]")
                if parts is None:
                    self.at = start
                    break
                tree = ("call" if token.text == "(" else "index", tree, *parts)
            elif token.kind == "power":
                self.at += 1
                tree = ("^", tree, token.text.translate(_SUPERSCRIPTS))
            else:
                self.at += 1
                tree = ("=", tree, _join_operands(token.text[0], tree, "1"))
        return tree

    def _arguments(self, closing: str) -> list["str | Node"] | None:
        """Read expressions between brackets, separated by commas; ``None`` if they do not close."""
        self.at += 1
        parts: list[str | Node] = []
        while (token := self._peek()) is not None:
            if token.text == closing:
                self.at += 1
                return parts
            part = self.expression(0)
            token = self._peek()
            separators = (",", ":") if closing == "]" else (",",)
            if part is None or token is None or token.text not in (*separators, closing):
                return None
            parts.append(part)
            self.at += token.text in separators
        return None


def _join_operands(operator: str, left: "str | Node", right: "str | Node") -> Node:
    """Join two operands so that equal formulas are alike: b + a is a + b, and a > b is b < a."""
    if operator in _TURNED:
        return _TURNED[operator], right, left
    if operator in _COPYING:
        return "=", left, _join_operands(operator[:-1], left, right)
    if operator in _COMMUTATIVE:
        parts: list[str | Node] = []
        for part in (left, right):
            parts += part[1:] if isinstance(part, tuple) and part[0] == operator else [part]
        return operator, *sorted(parts, key=repr)
    return operator, left, right
