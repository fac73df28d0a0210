"""Missed hand-written contradictions of the guards, and false alarms on paraphrases.

Run with ``python bench/guard_pairs.py``, or with the name of a half: ``developed`` or ``unseen``, for pairs
of feedback ``feedback_developed`` or ``feedback_unseen``. Pairs of dates, code, quantifiers, numerals,
frequencies, directions and converse words are ``notations_developed`` and ``notations_unseen``. ``--show``
prints the pairs with errors and is intended for the half on which rules are developed. The pairs are in
``tests/data/guards``.
"""

import json
from collections import Counter
from pathlib import Path

from measuring import Options
from semscale.guards.registry import Guards

FOLDER = Path(__file__).parent.parent / "tests" / "data" / "guards"
HALVES = [f"{prefix}{half}" for prefix in ("", "feedback_", "notations_") for half in ("developed", "unseen")]


def read_pairs(half):
    lines = (FOLDER / f"{half}.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def judged_wrongly(pairs):
    """Return contradictions without a finding and paraphrases with one, in either direction."""
    guards = Guards()
    return [
        pair
        for pair in pairs
        if any(
            bool(guards.check(*texts)) != pair["contradicts"]
            for texts in ((pair["a"], pair["b"]), (pair["b"], pair["a"]))
        )
    ]


def main():
    parser = Options(__doc__)
    parser.add_argument("halves", nargs="*", metavar="half", help=f"{', '.join(HALVES)}; default: all")
    parser.add_argument("--show", action="store_true")
    settings = parser.parse_args()
    for half in settings.halves or HALVES:
        report(half, is_shown=settings.show)


def report(half, *, is_shown):
    """Print the number of errors in a half, and on demand the pairs."""
    pairs = read_pairs(half)
    print(f"\n{half}")
    wrong = judged_wrongly(pairs)
    for contradicts, name in ((True, "contradictions missed"), (False, "false alarms on paraphrases")):
        of = sum(pair["contradicts"] is contradicts for pair in pairs)
        print(f"{name}: {sum(pair['contradicts'] is contradicts for pair in wrong)} of {of}")
    if is_shown:
        for kind, count in Counter(pair["kind"] for pair in wrong).items():
            print(f"{kind}: {count}")
        for pair in wrong:
            found = [f"{one.guard}:{one.kind}" for one in Guards().check(pair["a"], pair["b"])]
            verdict = "MISSED" if pair["contradicts"] else "ALARM"
            print(verdict, pair["kind"], "|", pair["a"], "|", pair["b"], found)


if __name__ == "__main__":
    main()
