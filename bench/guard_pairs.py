"""How many hand-written contradictions the guards miss, and on how many paraphrases they raise a false alarm.

Run with ``python bench/guard_pairs.py``, or with the name of a half: ``developed`` or ``unseen``, for pairs
of feedback ``feedback_developed`` or ``feedback_unseen``. ``--show`` prints the pairs that go wrong and is
meant for the half on which rules are developed. The pairs are in ``tests/data/guards``.
"""

import json
from collections import Counter
from pathlib import Path

from measuring import Options
from semscale.guards.registry import Guards

FOLDER = Path(__file__).parent.parent / "tests" / "data" / "guards"
HALVES = ["developed", "unseen", "feedback_developed", "feedback_unseen"]


def read_pairs(half):
    lines = (FOLDER / f"{half}.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


def judged_wrongly(pairs):
    """Contradictions without any finding and paraphrases with one, either way round."""
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
    """Print how many pairs of a half go wrong, and on demand which."""
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
