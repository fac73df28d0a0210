"""How an instrument goes through a file, and the files that the laws send through it."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import polars as pl
from tests.conftest import ToyEmbedder
from tests.support.toy_instruments import Examiner, rating_scale

from semscale.answer_consistency.asking import AskedModel, Sampling
from semscale.answer_consistency.consistency import Consistency
from semscale.answer_consistency.settings import AnswerColumns, AskedColumns
from semscale.answer_consistency.table import AnswerSource, ConsistencyTable, measure_consistency
from semscale.chat.messages import Reply
from semscale.chat.pacing import Retries
from semscale.chat.runner import Runner, Running
from semscale.guards.registry import GUARDS, Guards
from semscale.judging.judge import Judge, Panel
from semscale.judging.settings import JudgeColumns
from semscale.judging.table import JudgeTable, judge_table
from semscale.matching.cosines import CosineMatch
from semscale.matching.matcher import Matcher
from semscale.matching.settings import MatchColumns
from semscale.matching.table import MatchTable, match_table
from semscale.presentable import Presentable
from semscale.rating.rater import Rater
from semscale.rating.settings import RatingColumns
from semscale.rating.table import RatingTable, rate_table
from semscale.results.instrument import TableInstrument
from semscale.results.table_runs import PartSettings
from semscale.signature import Signature
from semscale.stats.intervals import IntervalPlan
from semscale.store.table import Table

VOCABULARY = ("buy", "never", "fine", "perhaps", "waste", "today", "I would", "not at all")
N = 24


def texts(step, word):
    """Texts of one to four words, some of them missing, blank or no text; each holds ``word``."""
    created = [
        " ".join([word, *(VOCABULARY[(row * step + index) % len(VOCABULARY)] for index in range(row % 4))])
        for row in range(N)
    ]
    created[3], created[7], created[19] = None, "  ", "12"
    return created


ROWS = pl.DataFrame(
    {
        "id": [f"r{row}" for row in range(N)],
        "question": texts(3, "why"),
        "text": texts(5, "answer"),
        "known": [f'["{text}", null]' if text else None for text in texts(7, "known")],
        "region": [("north", "south", None)[row % 3] for row in range(N)],
        "human": [("2", "[1, 3]", None, "3")[row % 4] for row in range(N)],
        "prompt": [f"p{row % 9}" if row != 13 else None for row in range(N)],
        "right": [("yes", "no", "yes")[row * 7 % 3] for row in range(N)],
    }
)


class Breaking:
    """Counts what a model is asked, and is stopped by the user when it is asked once too often."""

    def __init__(self, after: int | None) -> None:
        self.left = after

    def count(self) -> None:
        if self.left is not None:
            self.left -= 1
            if self.left < 0:
                raise KeyboardInterrupt


class BreakingEmbedder(ToyEmbedder):
    """Embeds until it is stopped."""

    def __init__(self, after: int | None = None) -> None:
        super().__init__()
        self._breaking = Breaking(after)

    def embed(self, texts, *, progress=None):
        self._breaking.count()
        result = super().embed(texts, progress=progress)
        self.embedded.clear()
        return result


class BreakingExaminer(Examiner):
    """Scores answers until it is stopped."""

    def __init__(self, after: int | None = None, name: str = "examiner") -> None:
        super().__init__(name)
        self._breaking = Breaking(after)

    async def complete(self, request):
        self._breaking.count()
        return await super().complete(request)


@dataclass(frozen=True)
class FileInstrument:
    """How to send a file through one instrument.

    Attributes:
        name: for the report of the tests.
        run: ``run(table, out, settings, after, folder)`` does the work; after so many questions to its model
            the user stops it. ``folder`` is for what it keeps beside the parts.
        started: makes the instrument of a table, ready for its first part.
    """

    name: str
    run: Callable[[Table, Path | None, PartSettings, int | None, Path], Presentable]
    started: Callable[[Table, Path], TableInstrument]


def rating(after=None):
    return Rater(rating_scale(), embedder=BreakingEmbedder(after), floor=None)


RATED = RatingColumns(text="text", by=("region",), human="human")


def rate(table, out, settings, after, _):
    return rate_table(table, RATED, rating(after), out=out, settings=settings)


def started(table, instrument):
    instrument.start(table)
    return instrument


def rating_table(table, _):
    return started(table, RatingTable(RATED, rating(), IntervalPlan()))


JUDGED = JudgeColumns(question="question", answer="text", reference=("known",), human="human", by="region")


def examined(after=None):
    return Judge(BreakingExaminer(after))


def panelled(after=None):
    judges = [Judge(BreakingExaminer(name=name), order="score-only", samples=2) for name in ("one", "two")]
    return Panel([examined(after), *judges])


def running(folder):
    return Running(ledger=folder / "ledger.sqlite", retries=Retries(0))


def judging_by(created):
    def run(table, out, settings, after, folder):
        return judge_table(
            table, JUDGED, judge=created(after), running=running(folder), out=out, settings=settings
        )

    return run


def judge_table_by(created):
    return lambda table, folder: started(
        table, JudgeTable(JUDGED, created(), running(folder), IntervalPlan())
    )


MATCHED = MatchColumns(prediction="text", reference=("known", "question"), by="region")
WARNING = Guards(dict.fromkeys(GUARDS, "warn"))


def match(table, out, settings, after, _):
    matcher = Matcher.from_method(CosineMatch(BreakingEmbedder(after)), guards=WARNING)
    return match_table(table, MATCHED, matcher, out=out, settings=settings)


def matching_table(table, _):
    matcher = Matcher.from_method(CosineMatch(BreakingEmbedder()), guards=WARNING)
    return started(table, MatchTable(MATCHED, matcher, IntervalPlan()))


COMPARED = AnswerColumns(
    prompt="question", answer="text", sample=("known", "question"), label="right", by="region"
)
TOGETHER = AnswerColumns(prompt="question", answer="text", item="prompt", by="region")
ASKED = AskedColumns(prompt="question", label="right", by="region")


class Answering:
    """Answers with the words of the question, in every second sample the other way round."""

    name = "answering"
    signature = Signature.of("chat", model="answering")

    def __init__(self, after: int | None = None) -> None:
        self._breaking = Breaking(after)

    async def complete(self, request):
        self._breaking.count()
        tokens = request.messages[-1].text.split()
        return Reply(" ".join(reversed(tokens) if request.sample % 2 else tokens))


def consistency(after=None, model=None):
    return Consistency(model, embedder=BreakingEmbedder(after))


def measuring(columns):
    def run(table, out, settings, after, _):
        return measure_consistency(table, columns, instrument=consistency(after), out=out, settings=settings)

    return run


def answer_table(table, _):
    return started(table, ConsistencyTable(AnswerSource(table, COMPARED), consistency(), IntervalPlan()))


def asked(after, folder):
    model = Answering(after)
    runner = Runner(model, ledger=folder / "ledger.sqlite", retries=Retries(0))
    return consistency(model=model), AskedModel(Sampling(n_samples=2), runner)


def ask(table, out, settings, after, folder):
    instrument, model = asked(after, folder)
    return measure_consistency(table, ASKED, instrument=instrument, model=model, out=out, settings=settings)


def asking_table(table, folder):
    instrument, model = asked(None, folder)
    source = AnswerSource(table, ASKED.with_values(label=None), model=model)
    return started(table, ConsistencyTable(source, instrument, IntervalPlan()))


FILE_INSTRUMENTS = [
    FileInstrument("ask", ask, asking_table),
    FileInstrument("items", measuring(TOGETHER), answer_table),
    FileInstrument("consistency", measuring(COMPARED), answer_table),
    FileInstrument("match", match, matching_table),
    FileInstrument("rate", rate, rating_table),
    FileInstrument("judge", judging_by(examined), judge_table_by(examined)),
    FileInstrument("panel", judging_by(panelled), judge_table_by(panelled)),
]
