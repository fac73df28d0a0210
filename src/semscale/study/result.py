"""Studies and their results: runs, measured answers, and the folder that stores them."""

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args, get_type_hints

import numpy as np
import polars as pl
from pydantic import TypeAdapter, ValidationError

from semscale.chat.budget import Forecast, ForecastSummary, PriceTable
from semscale.chat.chat_model import Model
from semscale.chat.decisions import DecisionCall, load_deciding_model
from semscale.chat.ledger import Ledger
from semscale.chat.loading import load_chat_model
from semscale.chat.messages import CallError, FailureKind, Message, Request, RequestOutcome, TextPart
from semscale.chat.runner import Running, run_to_end
from semscale.embedding.loading import as_embedder
from semscale.endpoints import KEY_VARIABLE
from semscale.errors import InputError
from semscale.input_files import read_input
from semscale.json_reading import parse_json
from semscale.rating.rater import Rater
from semscale.signature import Signature
from semscale.stats.intervals import IntervalPlan
from semscale.store.atomic import replacing
from semscale.store.writing import write_table
from semscale.study.forecasts import forecast_study, reached_caps
from semscale.study.interviews import (
    KINDS,
    AskedStudy,
    Kind,
    PointReader,
    ReplyKey,
    RunFacts,
    Stop,
    StopReply,
    ask_study,
    is_answer,
)
from semscale.study.panel import SyntheticPanel
from semscale.study.questionnaire import Method, ModelChoice, StudyDesign, StudyQuestion, parse_study
from semscale.types import Floats, Progress, Status
from semscale.weights.folders import sha256_of
from semscale.weights.known import DEFAULT_RATING_MODEL
from semscale.yaml_reading import YamlFile

if TYPE_CHECKING:
    from semscale.embedding.embedder import Embedder
    from semscale.scales import Scale
    from semscale.study.summary import StudySummary

PANEL, ANSWERS, SUMMARY, FILE = "panel.parquet", "answers.parquet", "study.json", "study.yaml"
PROMPTS, RECORD = "prompts.parquet", "run.json"
"""Files in the folder of a result; ``read_study`` needs the record in addition to the tables."""

PROMPT_SCHEMA: dict[str, Any] = {
    "prompt": pl.String,
    "call": pl.Int64,
    "messages": pl.String,
    "parameters": pl.String,
    "sample": pl.Int64,
}
"""Columns of the table of prompts."""

_TABLES = (ANSWERS, PANEL, PROMPTS)
_DESIGNS: TypeAdapter[StudyDesign] = TypeAdapter(StudyDesign)
_FACTS: TypeAdapter[RunFacts] = TypeAdapter(RunFacts)
_RUN_AGAIN = "run the study again into this folder; replies come from the ledger, free of charge"
_STATUSES = {FailureKind.REFUSED: Status.REFUSED, FailureKind.SILENT: Status.EMPTY}
_DECLINED = "the persona's reply declines to answer"
_ONLY_A_NUMBER = "the persona's reply is a number and no words, so there is no meaning to compare"
_NUMBERS = re.compile(r"[\W_]*\d(?:[\W\d_]|\b(?:or|to|and|out of)\b)*", re.IGNORECASE)


@dataclass(frozen=True)
class Study:
    """A study, read from a YAML file by ``semscale.study.load``.

    Attributes:
        design: the questionnaire, the panel, and the settings of the run.
    """

    design: StudyDesign

    def __repr__(self) -> str:
        asked = self.design.questionnaire
        return (
            f"Study({self.design.name!r}, personas={len(self.design.panel):,}, "
            f"concepts={len(asked.concepts)}, questions={len(asked.questions)})"
        )

    def run(
        self,
        model: object = None,
        *,
        embedder: "str | Embedder | None" = None,
        running: Running | None = None,
        progress: Progress | None = None,
    ) -> "StudyResult":
        """Ask every persona and measure every answer; a stopped run resumes from the ledger.

        Several models are asked one after the other, each with an equal part of the remaining budget.

        Args:
            model: a model or name for ``load_chat_model``, which answers alone; or a list with one for each
                model of the file. By default the models of the file.
            embedder: rates free text by similarity; by default the file's embedder.
            running: settings of the calls; by default the caps of the file and Semscale's ledger.
            progress: called as replies arrive, and while texts are embedded.

        Returns:
            All answers; answers that a cap prevented have the status ``unfinished``.

        Raises:
            ReplyError: no call can succeed: the key is invalid, the model is unknown, or the account is
                empty.
            ModelError: weights are missing; no call was sent.
            InputError: the list has another number of models than the file, or two models have the same name.
        """
        players = _players(self.design, model, progress)
        design = replace(self.design, models=self.design.models[: len(players)])
        if any("ssr" in question.methods for question in design.questionnaire.questions):
            # Missing weights are detected before a paid call.
            embedder = as_embedder(embedder or design.embedder or DEFAULT_RATING_MODEL)
        left = running or design.running
        answers: list[StudyAnswer] = []
        replies: list[AskedStudy] = []
        for number, (choice, chat) in enumerate(players):
            part = left.divide(len(players) - number, "models")
            asked = run_to_end(ask_study(design, choice, chat, part, progress))
            left = left.after(asked.spent)
            replies.append(asked)
            answers += _Measuring(design, choice.name, asked).answers()
        applied = _rate_texts(design, answers, embedder, progress)
        signature = _signature(design, players, replies).with_settings("ssr", applied)
        sent = {prompt: calls for asked in replies for prompt, calls in asked.sent.items()}
        facts = RunFacts.total([asked.facts for asked in replies])
        return StudyResult(design, answer_frame(answers), signature, facts, prompt_frame(sent))

    def forecast(self, model: object = None, *, ledger: Ledger | None = None) -> Forecast:
        """Forecast calls, tokens and cost of a run on one model, without sending a call.

        Args:
            model: a model or name for ``load_chat_model``; by default the model of the file.
            ledger: outcomes of earlier calls, which cost nothing; by default Semscale's ledger.

        Raises:
            InputError: the file names several models; use ``forecasts``.
        """
        forecasts = self.forecasts(model, ledger=ledger)
        if len(forecasts) > 1:
            raise InputError(
                f"the study has {len(forecasts)} models: take forecasts(), which has a forecast for each"
            )
        return next(iter(forecasts.values()))

    def forecasts(
        self,
        model: object = None,
        *,
        prices: PriceTable | None = None,
        ledger: Ledger | None = None,
        progress: Progress | None = None,
    ) -> dict[str, Forecast]:
        """Return forecasts of calls, tokens and cost by model name, without sending a call.

        Args:
            model: as for ``run``.
            prices: prices of models; by default the user's price table.
            ledger: outcomes of earlier calls, which cost nothing; by default Semscale's ledger.
            progress: called while the files of a model of this machine are pulled.
        """
        players = _players(self.design, model, progress)
        opened = ledger or Ledger()
        try:
            return {
                choice.name: run_to_end(forecast_study(self.design, choice, chat, opened, prices))
                for choice, chat in players
            }
        finally:
            if ledger is None:
                opened.close()

    def forecast_summary(
        self, calls: Running | None = None, *, progress: Progress | None = None
    ) -> ForecastSummary:
        """Forecast a run as ``semscale study run --dry-run`` does, with the caps that would end it early.

        Args:
            calls: settings of calls, such as ledger and prices; caps and pace that they lack are the file's.
            progress: called while the files of a model of this machine are pulled.

        Raises:
            ModelError: weights are missing.
            MissingExtraError: an extra that a model needs is not installed.
        """
        running, design = self.design.running_with(calls or Running()), self.design
        ledger = running.ledger if isinstance(running.ledger, Ledger) else None
        if isinstance(running.ledger, str | Path):
            with Ledger(running.ledger) as opened:
                forecasts = self.forecasts(prices=running.prices, ledger=opened, progress=progress)
        else:
            forecasts = self.forecasts(prices=running.prices, ledger=ledger, progress=progress)
        budget = running.divide(len(forecasts), "models").budget
        cautions = tuple(reached_caps(forecasts, budget, len(design.panel)))
        return ForecastSummary(design.source, forecasts, design.n_answers, {}, "answer", cautions=cautions)


def load(path: str | Path) -> Study:
    """Read a study from a YAML file; docs/studies.md lists its keys.

    Paths in the file are relative to the folder of the file.

    Args:
        path: path of the file.

    Raises:
        InputError: the file cannot be read, or is not a valid study; the message states the line.
    """
    file = YamlFile.read(path, "study file")
    return Study(parse_study(file.content, source=file.source, folder=Path(path).parent))


def _players(
    design: StudyDesign, model: object, progress: Progress | None = None
) -> list[tuple[ModelChoice, Model]]:
    """Load all models that play personas before the first call; return each with its settings and name."""
    choices = design.models
    if model is None:
        return [
            (
                choice,
                load_chat_model(
                    choice.name,
                    base_url=choice.base_url,
                    key_variable=choice.key_variable if choice.base_url else KEY_VARIABLE,
                    progress=progress,
                ),
            )
            for choice in choices
        ]
    listed = list(model) if isinstance(model, list | tuple) else [model]
    if len(listed) not in {1, len(choices)}:
        raise InputError("model", f"must have one for each of the {len(choices)} models, got {len(listed)}")
    chats = [load_deciding_model(chat) for chat in listed]
    names = [chat.name for chat in chats]
    if len(set(names)) < len(names):
        raise InputError("models", f"must have different names, got {', '.join(names)}")
    return [
        (choice.model_copy(update={"name": chat.name}), chat)
        for choice, chat in zip(choices, chats, strict=False)
    ]


def _signature(
    design: StudyDesign, players: Sequence[tuple[ModelChoice, Model]], replies: Sequence[AskedStudy]
) -> Signature:
    """Build the signature; settings of several models are numbered in the order of the file."""
    signature = design.signature
    decides = any("decision" in question.methods for question in design.questionnaire.questions)
    for number, ((choice, chat), asked) in enumerate(zip(players, replies, strict=True), start=1):
        settings: dict[str, object] = dict(chat.signature.fields)
        if decides:
            settings["decision"] = asked.facts.form
        if number > 1:
            settings |= {"temperature": choice.temperature, "max_tokens": choice.max_tokens}
        prefix = "" if len(players) == 1 else f"{number}_"
        signature = signature.with_settings(
            "chat", {f"{prefix}{name}": value for name, value in settings.items()}
        )
    return signature


@dataclass(frozen=True, repr=False)
class StudyResult:
    """Answers of a panel, with the design and the calls behind them.

    Attributes:
        design: the questionnaire, the panel, and the settings of the run.
        answers: one row per persona, sample, concept, question and method, with the columns of ``SCHEMA``;
            missing values are null.
        signature: the settings that were applied.
        facts: facts about the calls, and the reason if the run stopped early.
        prompts: requests with the hashes of the answers' ``prompt`` and ``rating_prompt``, with the columns
            of ``PROMPT_SCHEMA``.
    """

    design: StudyDesign
    answers: pl.DataFrame
    signature: Signature
    facts: RunFacts
    prompts: pl.DataFrame = field(default_factory=lambda: prompt_frame({}))

    def __repr__(self) -> str:
        n_scored = int((self.answers["status"] == "scored").sum())
        return f"StudyResult({self.design.name!r}, answers={self.answers.height:,}, scored={n_scored:,})"

    @property
    def n_unfinished(self) -> int:
        """Number of answers with the status ``unfinished``."""
        return int((self.answers["status"] == str(Status.UNFINISHED)).sum())

    def summary(self, *, plan: IntervalPlan | None = None) -> "StudySummary":
        """Summarize the answers; reports, documents and JSON are built from the summary.

        Args:
            plan: method of the intervals; by default 95 % with the study's seed.
        """
        from semscale.study.summary import summarize

        return summarize(self.design, self.answers, self.signature, self.facts, plan)

    def save(self, folder: str | Path, *, plan: IntervalPlan | None = None) -> None:
        """Write personas, answers, prompts, summary, the study's file, and the record for ``read_study``.

        Args:
            folder: folder to write to; created if it does not exist.
            plan: method of the summary's intervals.
        """
        folder = Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        (folder / RECORD).unlink(missing_ok=True)  # an interrupted save leaves no readable folder
        tables = {PANEL: self.design.panel.to_frame(), ANSWERS: self.answers, PROMPTS: self.prompts}
        for name, table in tables.items():
            write_table(table, folder / name)
        with replacing(folder / SUMMARY) as path:
            path.write_text(self.summary(plan=plan).to_json(), encoding="utf-8")
        if self.design.content:
            with replacing(folder / FILE) as path:
                path.write_bytes(self.design.content)
        names = [*tables, *([FILE] if self.design.content else [])]
        hashes = {name: sha256_of(folder / name) for name in names}
        # Scales and images are part of the record, so that it needs no other file that the study names.
        run = {
            **_DESIGNS.dump_python(self.design, mode="json", exclude={"panel", "content"}),
            "panel_source": self.design.panel.source,
            "signature": str(self.signature),
            "facts": _FACTS.dump_python(self.facts, mode="json"),
            "sha256": hashes,
        }
        record = json.dumps({"sha256": _hash_of(run), "run": run}, ensure_ascii=False, indent=1)
        with replacing(folder / RECORD) as path:
            path.write_text(record, encoding="utf-8")


def read_study(folder: str | Path, *, allow_unfinished: bool = False) -> StudyResult:
    """Read a folder written by ``study run`` or ``StudyResult.save``, without sending a call.

    Args:
        folder: folder with the tables of personas and answers, and the record of the run.
        allow_unfinished: true to accept a run that a cap stopped; its summary then has a caution.

    Returns:
        The stored answers, design, signature and facts, even if the study's file, scales or images have
        changed.

    Raises:
        InputError: the folder has no run, a file is missing or was edited, or answers are missing.
    """
    path = Path(folder)
    run = _read_record(path / RECORD)
    for name, sha256 in run.get("sha256", {}).items():
        _check_unchanged(path / name, sha256)
    try:
        answers, personas, prompts = (pl.read_parquet(path / name) for name in _TABLES if run["sha256"][name])
        answers, panel = (
            answers.select(title for title in SCHEMA if title in answers.columns),
            SyntheticPanel.from_frame(personas, run["panel_source"]),
        )
        content = (path / FILE).read_bytes() if FILE in run["sha256"] else b""
        design = _DESIGNS.validate_python({**run, "panel": panel, "content": content})
        facts, signature = _FACTS.validate_python(run["facts"]), Signature.parse(run["signature"])
    except (KeyError, ValidationError, pl.exceptions.ColumnNotFoundError):
        raise InputError(f"{path / RECORD} was written by another version: {_RUN_AGAIN}") from None
    result = StudyResult(design, answers, signature, facts, prompts)
    if result.n_unfinished and not allow_unfinished:
        raise InputError(
            f"{path}: {result.n_unfinished:,} of {answers.height:,} answers were not asked for "
            f"({facts.stopped}): run the study again into this folder to go on, or allow unfinished "
            "runs"
        )
    return result


def _read_record(path: Path) -> dict[str, Any]:
    try:
        content = read_input(path)
    except (FileNotFoundError, NotADirectoryError):
        raise InputError(
            f"{path.parent} is no folder of a study's run, as it has no {path.name}: name a folder that "
            "`semscale study run` wrote"
        ) from None
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror or error}") from None
    try:
        fields = parse_json(content.decode("utf-8"))
    except (UnicodeDecodeError, json.JSONDecodeError):
        fields = None
    if not isinstance(fields, dict) or not {"sha256", "run"} <= fields.keys():
        raise InputError(
            f"{path} is not the record of a study's run: name a folder that `semscale study run` wrote"
        )
    if _hash_of(fields["run"]) != fields["sha256"]:
        raise InputError(f"{path} was changed after the run: {_RUN_AGAIN}")
    run: dict[str, Any] = fields["run"]
    return run


def _hash_of(content: Any) -> str:
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def _check_unchanged(path: Path, sha256: str) -> None:
    try:
        present = sha256_of(path)
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror or error}; {_RUN_AGAIN}") from None
    if present != sha256:
        raise InputError(f"{path} was changed after the run, or saving was interrupted: {_RUN_AGAIN}")


def prompt_frame(sent: Mapping[str, Sequence[Request | DecisionCall]]) -> pl.DataFrame:
    """Return a table of prompts, one row per call; a decision can have several.

    Args:
        sent: the calls of each prompt, by its hash.

    Returns:
        Columns ``prompt`` (the hash), ``call`` from 1, ``messages`` and ``parameters`` as JSON, and
        ``sample``, a number that distinguishes equal prompts. An image is recorded as its SHA-256 or its
        address.
    """
    rows = [
        {
            "prompt": prompt,
            "call": call,
            "messages": json.dumps([_message(message) for message in request.messages], ensure_ascii=False),
            "parameters": json.dumps(request.fields),
            "sample": request.sample if isinstance(request, Request) else 0,
        }
        for prompt, requests in sent.items()
        for call, request in enumerate(requests, start=1)
    ]
    return pl.DataFrame(rows, schema=PROMPT_SCHEMA)


def _message(message: Message) -> dict[str, Any]:
    parts = [
        {"text": part.text}
        if isinstance(part, TextPart)
        else {"image": f"sha256:{part.content_hash}" if part.url.startswith("data:") else part.url}
        for part in message.content
    ]
    return {"role": message.role, "content": parts}


# Measuring


@dataclass
class StudyAnswer:
    """Answer measured by one method.

    Attributes:
        persona: name of the persona.
        concept: name of the concept.
        question: name of the question.
        method: method that measured the answer.
        sample: number of the sample, from 1.
        asked_model: name of the model that was asked, as in the study's file.
        concept_position: position of the concept in the interview, from 1; ``None`` if each call is a
            separate conversation.
        question_position: position of the question after its concept, likewise.
        status: ``scored``, or the reason why there is no rating.
        reason: the reason as a sentence; ``None`` without one.
        value: expected value on the scale; ``None`` without a rating, and for questions about options.
        pmf: probability of each point; 1 for a picked point. For a question about options, the probability or
            the expected rank of each option. ``None`` without a rating.
        set_values: expected value under each single anchor set; ``None`` except for ``ssr``.
        reply: text of the persona's reply; ``None`` without a reply, and for a decision.
        rating_reply: text of the expert's reply that rated it; ``None`` except for ``flr``.
        prompt: hash of the request to the persona; ``None`` if nothing was sent.
        rating_prompt: hash of the request to the expert; ``None`` except for ``flr``.
        model: the endpoint's name for the model that answered.
        tokens: tokens of the calls; ``None`` if unknown.
        cost: cost of the calls; ``None`` if tokens or prices are unknown.
        seconds: total seconds of the calls; ``None`` if unknown.
        reasoning: the model's reasoning before ``reply``; ``None`` without any.
    """

    persona: str
    concept: str
    question: str
    method: str
    sample: int
    asked_model: str
    concept_position: int | None
    question_position: int | None
    status: Status = Status.UNFINISHED
    reason: str | None = None
    value: float | None = None
    pmf: list[float] | None = None
    set_values: list[float] | None = None
    reply: str | None = None
    rating_reply: str | None = None
    prompt: str | None = None
    rating_prompt: str | None = None
    model: str | None = None
    tokens: int | None = None
    cost: float | None = None
    seconds: float | None = None
    reasoning: str | None = None

    def rate(self, pmf: Floats, scale: "Scale | None") -> None:
        """Set the rating: masses (k,) of the scale's points, or figures (k,) of options."""
        self.status, self.pmf = Status.SCORED, pmf.tolist()
        self.value = None if scale is None else float(pmf @ scale.values)

    def fail(self, failure: CallError | None) -> None:
        """Set the status of an answer whose call failed."""
        self.status = Status.FAILED if failure is None else _STATUSES.get(failure.kind, Status.FAILED)
        self.reason = None if failure is None else str(failure)


_COLUMN_TYPES: dict[Any, Any] = {
    str: pl.String,
    Status: pl.String,
    int: pl.Int64,
    float: pl.Float64,
    list[float]: pl.List(pl.Float64),
}

SCHEMA: dict[str, Any] = {
    name: _COLUMN_TYPES[hint if hint in _COLUMN_TYPES else get_args(hint)[0]]  # without "| None"
    for name, hint in get_type_hints(StudyAnswer).items()
}
"""Columns of the table of answers."""


def answer_frame(answers: Iterable[StudyAnswer]) -> pl.DataFrame:
    """Return a table of answers with the columns of ``SCHEMA``; missing values are null.

    Without any reasoning, that column is left out.
    """
    rows = list(answers)
    columns = {field.name: [getattr(row, field.name) for row in rows] for field in fields(StudyAnswer)}
    columns["status"] = [str(status) for status in columns["status"]]
    frame = pl.DataFrame(columns, schema=SCHEMA)
    return frame.drop("reasoning") if frame["reasoning"].is_null().all() else frame


class _Measuring:
    """Converts the replies of one model to answers; free texts are collected and rated together."""

    def __init__(self, design: StudyDesign, model: str, asked: AskedStudy) -> None:
        self._design, self._model, self._asked = design, model, asked
        self._readers = {name: PointReader(scale) for name, scale in design.questionnaire.scales.items()}

    def answers(self) -> Iterator[StudyAnswer]:
        """Yield all answers in the order of the file, independent of the order of interviews."""
        questionnaire = self._design.questionnaire
        for number, stops in enumerate(self._asked.stops):
            persona, sample = divmod(number, questionnaire.samples)
            for stop in sorted(stops):
                for method in questionnaire.questions[stop.question].methods:
                    yield self._answer(persona, sample, stop, method)

    def _answer(self, persona: int, sample: int, stop: Stop, method: Method) -> StudyAnswer:
        asked = self._design.questionnaire
        question, in_sequence = asked.questions[stop.question], asked.exposure == "sequence"
        answer = StudyAnswer(
            self._design.panel.ids[persona],
            asked.concepts[stop.concept].name,
            question.name,
            method,
            sample + 1,
            self._model,
            stop.concept_position if in_sequence else None,
            stop.question_position if in_sequence else None,
        )
        key = ReplyKey(KINDS[method], persona, sample, stop.concept, stop.question)
        reply = self._asked.replies.get(key)
        if reply is None:
            no_decisions = self._asked.facts.no_decisions if method == "decision" else None
            if no_decisions is not None:
                answer.status, answer.reason = Status.FAILED, no_decisions
            return answer
        answer.prompt, answer.reply, answer.reasoning = reply.prompt, reply.text, reply.reasoning
        if method == "decision":
            self._decide(answer, reply, question)
        elif method == "dlr":
            self._pick(answer, reply)
        else:
            self._rate_text(answer, reply, key, question)
        return answer

    def _decide(self, answer: StudyAnswer, reply: StopReply, question: StudyQuestion) -> None:
        self._add_cost(answer, reply.outcomes)
        undecided = reply.undecided
        if undecided is None:
            answer.rate(question.figures(reply.decisions), question.scale)
        else:
            answer.status = Status.REFUSED if undecided.refused else Status.FAILED
            answer.reason = undecided.reason or None

    def _pick(self, answer: StudyAnswer, reply: StopReply) -> None:
        """Parse the point that a reply picks."""
        self._add_cost(answer, reply.outcomes)
        message = reply.outcomes[0].reply
        if message is None:
            answer.fail(reply.outcomes[0].failure)
            return
        reader = self._readers[answer.question]
        answer.status, point = reader.read(message)
        if point is not None:
            answer.rate(np.eye(reader.scale.n_points)[point], reader.scale)

    def _rate_text(
        self, answer: StudyAnswer, reply: StopReply, key: ReplyKey, question: StudyQuestion
    ) -> None:
        """Queue a free-text reply for rating by similarity, or parse the expert's rating of it."""
        # Both methods use one text; its cost counts once, with similarity.
        if answer.method == "ssr" or "ssr" not in question.methods:
            self._add_cost(answer, reply.outcomes)
        text = reply.text
        if text is None:
            answer.fail(reply.outcomes[0].failure)
        elif not text.strip():
            answer.status = Status.EMPTY
        elif not is_answer(text):
            answer.status, answer.reason = Status.REFUSED, _DECLINED
        elif answer.method == "flr":
            rating = self._asked.replies.get(key._replace(kind=Kind.RATING))
            if rating is not None:
                answer.rating_prompt, answer.rating_reply = rating.prompt, rating.text
                self._pick(answer, rating)
        elif _NUMBERS.fullmatch(text):
            answer.status, answer.reason = Status.UNPARSABLE, _ONLY_A_NUMBER

    def _add_cost(self, answer: StudyAnswer, outcomes: Sequence[RequestOutcome]) -> None:
        """Add tokens, cost and time of calls, each only if known for all calls."""
        replies = [outcome.reply for outcome in outcomes if outcome.reply is not None]
        if not replies:
            return
        answer.model = replies[0].model or None
        usages = [reply.usage for reply in replies if reply.usage is not None]
        if len(usages) == len(replies):
            answer.tokens = (answer.tokens or 0) + sum(usage.tokens for usage in usages)
            price = self._asked.price
            if price is not None:
                answer.cost = (answer.cost or 0.0) + sum(price.of(usage) for usage in usages)
        seconds = [reply.seconds for reply in replies if reply.seconds is not None]
        if len(seconds) == len(replies):
            answer.seconds = (answer.seconds or 0.0) + sum(seconds)


def _rate_texts(
    design: StudyDesign,
    answers: Iterable[StudyAnswer],
    embedder: "str | Embedder | None",
    progress: Progress | None,
) -> dict[str, object]:
    """Rate free texts by their similarity to anchors in the detected language of each text.

    Args:
        design: of the study.
        answers: answers of all models; queued ones get a rating, question by question.
        embedder: loaded embedder; required if a question has the method ``ssr``.
        progress: called while texts are embedded.

    Returns:
        Fields of a signature: a hash of all raters' settings, and the embedder; empty if no text is queued.
    """
    waiting: dict[str, list[StudyAnswer]] = {}
    for answer in answers:
        if answer.method == "ssr" and answer.status is Status.UNFINISHED and answer.reply is not None:
            waiting.setdefault(answer.question, []).append(answer)
    raters, of_embedder = set[str](), dict[str, object]()
    for name, unrated in waiting.items():
        scale = design.questionnaire.scales[name]
        rater = Rater(scale, embedder=embedder)
        ratings = rater.rate([str(answer.reply) for answer in unrated], progress=progress)
        rated = zip(unrated, ratings.status, ratings.pmf, ratings.set_means, strict=True)
        for answer, status, pmf, by_set in rated:
            answer.status = Status(status)
            if status == Status.SCORED:
                answer.rate(pmf, scale)
                answer.set_values = by_set.tolist() if np.isfinite(by_set).all() else None
        raters.add(str(rater.signature))
        of_embedder = {f"ssr_{setting}": value for setting, value in rater.embedder.signature.fields}
    if not raters:
        return {}
    return {"ssr": hashlib.sha256("\n".join(sorted(raters)).encode()).hexdigest()[:8], **of_embedder}
