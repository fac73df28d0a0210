"""How often the check of a regression set errs, and how often a snapshot's comparison does.

Run with ``python bench/answer_check.py``. Limits were chosen on the first part of each set. Figures of the
second part, whose questions differ, are those that the page and the docs state. *Plans* are answers to
constructed questions on phone plans: the right answer in other words or cut to its amount, and wrong ones
with another amount, the opposite, nothing to the point, or the first half of the right answer. *Beetle* are
answers of students with grades of people, compared with the first of their reference answers; wrong ones
include incomplete ones. *Service* are answers of a help desk, written by hand: right ones in other words, and
wrong ones with another unit of time (*times*), or in which the other party pays or acts (*parties*). In
*generic* ones, "we" and "you" mean everybody.
"""

import json
import random
import re
from collections import defaultdict
from pathlib import Path

from beetle import read_answers
from measuring import Options, machine
from semscale.history.items import Output
from semscale.snapshots.answer_check import check_answer
from semscale.snapshots.compare_outputs import SnapshotMeter, compare_outputs
from semscale.snapshots.settings import settle

FOLDER = Path(__file__).parent / "data"
AMOUNT = re.compile(r"\{n\}(:00)?\s?\w+(\s(?:data|days|SIM cards|cards))?")


def plan_answers(n_plans):
    """Yield part, kind, question, right answer, answer, and whether it is right."""
    data = json.loads((FOLDER / "plan_answers.json").read_text(encoding="utf-8"))
    drawn = random.Random(11)
    for index, topic in enumerate(data["topics"]):
        part = "first" if index % 2 == 0 else "second"
        for plan in drawn.sample(data["plans"], n_plans):
            number, other = drawn.sample(range(topic["range"][0], topic["range"][1] + 1), 2)
            names = {"p": plan, "n": number, "w": other}
            question, right = topic["question"].format(**names), topic["right"].format(**names)
            amount = AMOUNT.search(topic["right"])[0]
            answers = [("plans, same in other words", text, True) for text in topic["same"]]
            answers += [
                ("plans, only the amount", f"{amount}.", True),
                ("plans, only another amount", amount.replace("{n}", "{w}") + ".", False),
                ("plans, another number", topic["number"], False),
                ("plans, the opposite", topic["negation"], False),
                ("plans, not to the point", drawn.choice(data["evasive"]), False),
            ]
            if right.startswith("Yes, "):
                answers += [("plans, yes and the amount", f"Yes, {amount}.", True)]
                answers += [("plans, no", "No.", False)]
            for kind, answer, is_right in answers:
                yield part, kind, question, right, answer.format(**names), is_right
            words = right.split()
            yield part, "plans, cut", question, right, " ".join(words[: (len(words) + 1) // 2]), False


def service_answers(n_questions):
    """Yield the same of answers of a help desk."""
    data = json.loads((FOLDER / "service_answers.json").read_text(encoding="utf-8"))
    for topic, items in data.items():
        for index, item in enumerate(items[:n_questions]):
            part = "first" if index % 2 == 0 else "second"
            for kind, is_right in (("same", True), ("wrong", False)):
                for answer in item[kind]:
                    yield part, f"service, {topic}, {kind}", item["question"], item["right"], answer, is_right


def student_answers(most):
    """Yield the same of graded answers."""
    for part, name in (("first", "training"), ("second", "test-unseen-questions")):
        answers = read_answers(name, most=most)
        for row, answer in enumerate(answers.answer):
            grade = str(answers.grade[row])
            right = answers.references[row][0]
            yield part, f"beetle, {grade}", answers.asked[row], right, answer, grade == "correct"


def main():
    parser = Options(__doc__)
    parser.add_size("--plans", 6, quick=1, help="plans of each question")
    parser.add_size("--service", 12, quick=2, help="questions of each topic of the help desk")
    parser.add_size("--answers", 500, quick=5, help="graded answers of each part")
    given = parser.parse_args()
    meter, limits = SnapshotMeter(), settle()
    counts = defaultdict(lambda: defaultdict(int))
    for part, kind, question, right, answer, is_right in (
        *plan_answers(given.plans),
        *service_answers(given.service),
        *student_answers(given.answers),
    ):
        compared = compare_outputs([Output(right)], [Output(answer)], limits, meter)
        outcomes = {
            "snapshot": "pass" if compared.passed else "fail",
            "check": check_answer(answer, right, meter, question=question).outcome,
        }
        group = kind.partition(",")[0]
        for name in (kind, f"{group}, all {'right' if is_right else 'wrong'}"):
            for method, outcome in outcomes.items():
                counts[part, name][method, outcome] += 1
    print(
        f"{'percent':44}{'answers':>8}{'snapshot passes':>16}{'check passes':>15}{'unsure':>15}{'fails':>15}"
    )
    for (part, name), found in sorted(counts.items()):
        n = sum(value for (method, _), value in found.items() if method == "check")
        columns = [("snapshot", "pass"), *(("check", outcome) for outcome in ("pass", "unsure", "fail"))]
        print(f"{part:8}{name:36}{n:8}", *(f"{100 * found[key] / n:14.1f}" for key in columns))
    print(machine())


if __name__ == "__main__":
    main()
