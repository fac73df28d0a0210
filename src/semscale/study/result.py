"""Studies and their results: a run of a design, its answers, and the folder that stores them."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl
from pydantic import TypeAdapter, ValidationError

from semscale.chat.costs.forecast import Forecast
from semscale.chat.decisions.deciding import DecidingChat
from semscale.chat.decisions.loading import load_deciding_model
from semscale.chat.ledger.ledger import Ledger
from semscale.chat.loading import load_chat_model
from semscale.chat.messages import Message, Request, TextPart
from semscale.chat.runner import Running, run_apart
from semscale.errors import InputError
from semscale.json_reading import parse_json
from semscale.signature import Signature
from semscale.stats.intervals.estimates import IntervalPlan
from semscale.store.atomic import replacing
from semscale.store.writing import write_table
from semscale.study.asking import AskedStudy, RunFacts, ask_study, forecast_study
from semscale.study.measuring import SCHEMA, SimilarityRating, StudyAnswer, answer_frame, measured_answers
from semscale.study.panel import SyntheticPanel
from semscale.study.questionnaire import StudyDesign
from semscale.types import Progress, Status
from semscale.weights.download_staging import sha256_of

if TYPE_CHECKING:
    from semscale.embedding.embedder import Embedder
    from semscale.study.summary import StudySummary

PANEL, ANSWERS, SUMMARY, FILE = "panel.parquet", "answers.parquet", "study.json", "study.yaml"
PROMPTS, RECORD = "prompts.parquet", "run.json"
"""Files in the folder of a result; the record has what ``read_study`` needs beside the tables."""

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


@dataclass(frozen=True)
class Study:
    """A study; ``semscale.study.load`` reads one from a YAML file.

    Attributes:
        design: questionnaire, panel and plan.
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
        """Ask every persona, and measure every answer; a run that was stopped goes on from the ledger.

        Several models are asked one after the other, each with an equal part of what is left of the budget.

        Args:
            model: as ``load_chat_model`` takes it, or a list with one for each model of the file; those that
                the file names unless given. A single one answers alone.
            embedder: rates free text by similarity; the one that the file names unless given.
            running: how calls are made; the caps of the file and Semscale's own ledger unless given.
            progress: called as replies come, and while texts are embedded.

        Returns:
            All answers; those that were not asked for because of a cap have the status ``unfinished``.

        Raises:
            ReplyError: no call can succeed: the key is wrong, the model unknown, the account empty.
            ModelError: weights are missing.
            InputError: a list of models that are not as many as in the file, or two of one name.
        """
        players = _players(self.design, model, progress)
        design = self.design if len(players) == len(self.design.plan.models) else players[0].design
        similarity = SimilarityRating(embedder or design.plan.embedder)
        left = running or design.running
        answers: list[StudyAnswer] = []
        replies: list[AskedStudy] = []
        for number, player in enumerate(players):
            part = left.divided(len(players) - number, "models")
            asked = run_apart(ask_study(player.design, player.model, part, progress))
            left = left.after(asked.spent)
            replies.append(asked)
            answers += measured_answers(design, player.name, asked, similarity, progress)
        signature = _signature(design, players, replies).with_settings("ssr", similarity.settings)
        sent = {prompt: calls for asked in replies for prompt, calls in asked.sent.items()}
        facts = RunFacts.joined([asked.facts for asked in replies])
        return StudyResult(design, answer_frame(answers), signature, facts, prompt_frame(sent))

    def forecast(self, model: object = None, *, ledger: Ledger | None = None) -> Forecast:
        """Forecast calls, tokens and cost of a run on one model, without sending a call.

        Args:
            model: as ``load_chat_model`` takes it; the one that the file names unless given.
            ledger: outcomes of earlier calls, which cost nothing; Semscale's own unless given.

        Raises:
            InputError: the file names several models; ``forecasts`` has one forecast for each.
        """
        forecasts = self.forecasts(model, ledger=ledger)
        if len(forecasts) > 1:
            raise InputError(
                f"the study has {len(forecasts)} models: take forecasts(), which has a forecast of each"
            )
        return next(iter(forecasts.values()))

    def forecasts(self, model: object = None, *, ledger: Ledger | None = None) -> dict[str, Forecast]:
        """Forecast calls, tokens and cost of a run for each model by its name, without sending a call.

        Args:
            model: as ``run`` takes it.
            ledger: outcomes of earlier calls, which cost nothing; Semscale's own unless given.
        """
        players = _players(self.design, model)
        opened = ledger or Ledger()
        try:
            return {
                player.name: run_apart(forecast_study(player.design, player.model, opened))
                for player in players
            }
        finally:
            if ledger is None:
                opened.close()


@dataclass(frozen=True)
class _Player:
    """A model that plays the personas.

    Attributes:
        name: in the study's file, or its own where the caller passed it.
        model: the model.
        design: the study with this model alone.
    """

    name: str
    model: DecidingChat
    design: StudyDesign


def _players(design: StudyDesign, model: object, progress: Progress | None = None) -> list[_Player]:
    """Load all models, before any is asked."""
    designs = design.by_model
    if model is None:
        players = []
        for alone in designs:
            choice = alone.plan.model
            chat = load_chat_model(choice.name, base_url=choice.base_url, progress=progress)
            players.append(_Player(choice.name, load_deciding_model(chat), alone))
        return players
    listed = list(model) if isinstance(model, list | tuple) else [model]
    if len(listed) not in {1, len(designs)}:
        raise InputError(f"model must have one for each of the {len(designs)} models, got {len(listed)}")
    loaded = [load_deciding_model(named) for named in listed]
    names = [player.name for player in loaded]
    if len(set(names)) < len(names):
        raise InputError(f"models must have different names, got {', '.join(names)}")
    return [_Player(player.name, player, alone) for alone, player in zip(designs, loaded, strict=False)]


def _signature(design: StudyDesign, players: list[_Player], replies: list[AskedStudy]) -> Signature:
    """Build the signature; settings of several models are numbered in the order of the file."""
    signature = design.signature
    decides = any("decision" in question.methods for question in design.questionnaire.questions)
    for number, (player, asked) in enumerate(zip(players, replies, strict=True), start=1):
        settings: dict[str, object] = dict(player.model.signature.fields)
        if decides:
            settings["decision"] = asked.facts.form
        if number > 1:
            choice = player.design.plan.model
            settings |= {"temperature": choice.temperature, "max_tokens": choice.max_tokens}
        prefix = "" if len(players) == 1 else f"{number}_"
        signature = signature.with_settings(
            "chat", {f"{prefix}{name}": value for name, value in settings.items()}
        )
    return signature


@dataclass(frozen=True, repr=False)
class StudyResult:
    """The answers of a panel, and the design and the calls behind them.

    Attributes:
        design: questionnaire, panel and plan.
        answers: a row for each persona, sample, concept, question and method, with the columns of
            ``semscale.study.measuring.SCHEMA``; missing values are null.
        signature: the settings that were applied.
        facts: of the calls, and why not everything was asked.
        prompts: requests by the hashes in the answers' ``prompt`` and ``rating_prompt``, with the columns of
            ``PROMPT_SCHEMA``.
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
        """Number of answers that were not asked for."""
        return int((self.answers["status"] == str(Status.UNFINISHED)).sum())

    def summary(self, *, plan: IntervalPlan | None = None) -> "StudySummary":
        """Sum the answers up; reports, documents and JSON come from the summary.

        Args:
            plan: how intervals are made; 95 % with the study's seed unless given.
        """
        from semscale.study.summary import summarize

        return summarize(self.design, self.answers, self.signature, self.facts, plan)

    def save(self, folder: Path, *, plan: IntervalPlan | None = None) -> None:
        """Write personas, answers, prompts, summary, the study's file, and what ``read_study`` needs.

        Args:
            folder: created where it does not exist.
            plan: how the intervals of the summary are made.
        """
        folder.mkdir(parents=True, exist_ok=True)
        (folder / RECORD).unlink(missing_ok=True)  # a save that is cut off leaves no readable folder
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
    """Read the folder that ``study run`` or ``StudyResult.save`` wrote, without sending a call.

    Args:
        folder: with the tables of personas and answers, and the record of the run.
        allow_unfinished: whether to accept a run that a cap stopped; its summary then has a caution.

    Returns:
        Answers, design, signature and facts as they were, also where the study's file, its scales and its
        images changed since.

    Raises:
        InputError: the folder has no run, a file is missing or was edited, or answers are missing.
    """
    path = Path(folder)
    run = _read_record(path / RECORD)
    for name, sha256 in run.get("sha256", {}).items():
        _check_unchanged(path / name, sha256)
    try:
        answers, personas, prompts = (pl.read_parquet(path / name) for name in _TABLES if run["sha256"][name])
        answers, panel = answers.select(*SCHEMA), SyntheticPanel.from_frame(personas, run["panel_source"])
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
        content = path.read_bytes()
    except OSError as error:
        raise InputError(
            f"{path} cannot be read: {error.strerror or error}; name a folder that study run wrote, and "
            "where that is older than the file, run the study again"
        ) from None
    try:
        fields = parse_json(content.decode("utf-8"))
    except (UnicodeDecodeError, json.JSONDecodeError):
        fields = None
    if not isinstance(fields, dict) or not {"sha256", "run"} <= fields.keys():
        raise InputError(f"{path} is no record of a study's run: name a folder that study run wrote")
    if _hash_of(fields["run"]) != fields["sha256"]:
        raise InputError(f"{path} was changed after the run: {_RUN_AGAIN}")
    run: dict[str, Any] = fields["run"]
    return run


def _hash_of(content: Any) -> str:  # noqa: ANN401 - any JSON value
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def _check_unchanged(path: Path, sha256: str) -> None:
    try:
        present = sha256_of(path)
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror or error}; {_RUN_AGAIN}") from None
    if present != sha256:
        raise InputError(f"{path} was changed after the run, or saving was cut off: {_RUN_AGAIN}")


def prompt_frame(sent: Mapping[str, Sequence[Request]]) -> pl.DataFrame:
    """Return a table of prompts, one row per call; a decision may take several.

    Args:
        sent: the calls of each prompt, by its hash.

    Returns:
        ``prompt`` (the hash), ``call`` from 1, ``messages`` and ``parameters`` as JSON, and ``sample``, the
        number that tells equal prompts apart. An image is recorded as its SHA-256, or as its address.
    """
    rows = [
        {
            "prompt": prompt,
            "call": call,
            "messages": json.dumps([_message(message) for message in request.messages], ensure_ascii=False),
            "parameters": json.dumps(
                {
                    name: value
                    for name, value in vars(request.parameters).items()
                    if value not in (None, (), {})
                }
            ),
            "sample": request.sample,
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
