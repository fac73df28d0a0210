"""Hard limits and must-pass items of a gate: a table of each."""

from collections.abc import Iterator

from semscale.drift.gate.decision import GateDecision
from semscale.drift.limits.results import LimitCheck, MustPassCheck
from semscale.report.document.blocks import Block, Paragraph
from semscale.report.document.values import Cell, Count, Flag, Quoted, Words
from semscale.report.drift.limit_words import LIMIT_LEVELS, allowed_words, ids_words
from semscale.report.drift.words import group_label
from semscale.report.parts import Columns, table_of

_LONGEST_NAME, _LONGEST_REASON = 60, 300
_ABOUT = (
    "The gate fails if more items than allowed break a limit. What a rerun of the baseline does as well is "
    "chance and does not count. Two limits count outputs and numbers of all items together: they are broken "
    "if more are lost than allowed, and fewer than 1 in 100 runs of an unchanged model would lose so many. "
    "A limit that nothing could break was not checked."
)


def limit_blocks(decision: GateDecision) -> Iterator[Block]:
    """Lay out the checks of hard limits and of must-pass items."""
    yield Paragraph(_ABOUT, "note")
    if decision.limits:
        columns: Columns[LimitCheck] = (
            ("limit", _name_of),
            ("how many", lambda one: Count(one.n_broken)),
            ("of", lambda one: Count(one.n)),
            ("allowed", lambda one: Words(allowed_words(one))),
            ("", lambda one: Flag(str(one.outcome), LIMIT_LEVELS[one.outcome])),
            ("which", lambda one: Words(ids_words(one.items))),
            ("a rerun, too", lambda one: Count(len(one.excused))),
        )
        yield table_of(decision.limits, columns, brief_title="Hard limits", brief=6)
    if decision.must_pass:
        of_items: Columns[MustPassCheck] = (
            ("must-pass item", lambda one: Quoted(one.id, _LONGEST_NAME)),
            ("", lambda one: _flag(one.passed)),
            ("why", lambda one: Quoted("; ".join(one.reasons), _LONGEST_REASON)),
        )
        yield table_of(decision.must_pass, of_items, title="Must-pass items", brief=3)


def _name_of(check: LimitCheck) -> Cell:
    name, where = check.name.replace("_", " "), ""
    if check.group is not None:
        where = f" in {group_label(check.group)}"
    elif check.outside:
        where = f" outside {' and '.join(map(group_label, check.outside))}"
    return Words(f"{name}{where}", brief=f"{check.name}{where}")


def _flag(passed: bool) -> Flag:
    return Flag("pass", "pass") if passed else Flag("fail", "fail")
