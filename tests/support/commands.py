"""The long commands: how each makes its input, its command line, and what it leaves behind."""

import json
import random
import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.support.random_checkpoint import write_random_checkpoint

CONCURRENCY = 4
"""Calls at once of the commands that ask a chat model."""

N = 20


@dataclass(frozen=True)
class LongCommand:
    """A command that takes long with much input.

    Attributes:
        name: of the command.
        line: its command line; ``{url}`` is the address of the chat model.
        prepare: writes its input into a folder.
        before: commands that have to run first.
        outputs: files and folders that it writes, but no history.
        asks: whether it asks a chat model.
        adds: whether it adds an entry to the history with an id and a time of its own.
    """

    name: str
    line: str
    prepare: Callable[[Path], None]
    before: Sequence[str] = ()
    outputs: Sequence[str] = ()
    asks: bool = False
    adds: bool = False

    def words(self, url: str) -> list[str]:
        """Return the command line's words."""
        return shlex.split(self.line.format(url=url))


def phrase(key: object) -> str:
    """Make a few words that the small model of these tests knows, always the same for a key."""
    chance = random.Random(str(key))
    return " ".join(f"w{chance.randrange(26)}" for _ in range(chance.randint(2, 9)))


def reply(asked: dict) -> str:
    """Reply to a request as the chat model of these tests: a score, or words for those who ask for words."""
    content = json.dumps([asked["messages"], asked.get("seed")])
    if '"score"' in json.dumps(asked) or "score" in content:
        score = 1 + random.Random(content).randrange(5)
        return json.dumps({"score": score, "explanation": phrase(content)})
    return phrase(content)


def _write_answers(folder: Path) -> None:
    write_random_checkpoint(folder / "model", "bert")
    (folder / "scale.yaml").write_text(_scale())
    rows = [f"{row},{phrase(row % 31)},{'ab'[row % 2]},{phrase(row + 7)},{1 + row % 5}" for row in range(N)]
    rows[5], rows[9] = "5,,a,,3", "9,???,b,w1 w2,"
    (folder / "answers.csv").write_text("\n".join(["id,text,group,meant,label", *rows]) + "\n")


def _scale() -> str:
    points = "\n".join(f"  - {{value: {value}, label: Point {value}}}" for value in range(1, 6))
    sets = "\n".join(
        f"  {name}:\n" + "\n".join(f"    - {phrase((name, point))}" for point in range(5))
        for name in ("first", "second")
    )
    return (
        "name: words\ntitle: Words\nquestion: Which words?\nlanguage: en\npolarity: neutral\n"
        f"points:\n{points}\nanchor_sets:\n{sets}\nprovenance: made up\n"
    )


def _write_questions(folder: Path) -> None:
    write_random_checkpoint(folder / "model", "bert")
    rows = [f"{phrase(row)},{phrase(row + 100)}" for row in range(N)]
    (folder / "questions.csv").write_text("\n".join(["question,answer", *rows]) + "\n")


def _write_outputs(folder: Path) -> None:
    write_random_checkpoint(folder / "model", "bert")
    for run in ("baseline", "rerun", "candidate"):
        items = [
            {
                "id": f"item-{item}",
                "input": phrase(item),
                "outputs": [{"text": phrase((run, item, at)), "credits": at + item % 3} for at in range(2)],
            }
            for item in range(N)
        ]
        (folder / f"{run}.jsonl").write_text("".join(json.dumps(item) + "\n" for item in items))


_BASELINE = (
    "drift record baseline.jsonl --model a --dataset words --history {history}",
    "drift approve latest --approved-by Ann --why read --history {history}",
    "drift record rerun.jsonl --model a --rerun-of baseline --history {history}",
)
_CALLS = f"--chat-model m --chat-url {{url}} --concurrency {CONCURRENCY} --timeout 20"

COMMANDS = (
    LongCommand(
        "rate",
        "rate answers.csv --text text --scale scale.yaml --floor none --embedder model --part-rows 5 "
        "--out out.csv --report report.html --json",
        _write_answers,
        outputs=("out.csv", "report.html"),
    ),
    LongCommand(
        "match",
        "match answers.csv --prediction text --reference meant --by group --method cosine --embedder model "
        "--part-rows 5 --out out.parquet --report report.md --json",
        _write_answers,
        outputs=("out.parquet", "report.md", "report.files"),
    ),
    LongCommand(
        "consistency",
        "consistency questions.csv --prompt question --ask 2 --measure cosine_sim --floor 0.1 "
        f"--embedder model {_CALLS} --part-rows 5 --out out.jsonl --json",
        _write_questions,
        outputs=("out.jsonl",),
        asks=True,
    ),
    LongCommand(
        "judge",
        f"judge questions.csv --prompt question --answer answer {_CALLS} --part-rows 5 --out out.xlsx "
        "--report report.xlsx --json",
        _write_questions,
        outputs=("out.xlsx", "report.xlsx"),
        asks=True,
    ),
    LongCommand(
        "label",
        "label answers.csv --text text --scale scale.yaml --floor none --embedder model --n 8 --out out.csv",
        _write_answers,
        outputs=("out.csv", "out-instructions.md"),
    ),
    LongCommand(
        "calibrate",
        "calibrate answers.csv --text text --human label --scale scale.yaml --floor none --embedder model "
        "--out out.json --report report.html --json",
        _write_answers,
        outputs=("out.json", "report.html"),
    ),
    LongCommand(
        "drift record",
        "drift record candidate.jsonl --model b --history history.sqlite --json",
        _write_outputs,
        before=[line.format(history="history.sqlite") for line in _BASELINE],
        adds=True,
    ),
    LongCommand(
        "drift gate",
        "drift gate candidate.jsonl --model b --history history.sqlite --embedder model --layer 2 "
        "--out out.parquet --junit junit.xml --json",
        _write_outputs,
        before=[line.format(history="history.sqlite") for line in _BASELINE],
        outputs=("out.parquet", "junit.xml"),
        adds=True,
    ),
)
