"""Groups of options that several commands have, and those that a project's file can set."""

import os
from collections.abc import Callable, Coroutine, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, TypeVar

from pydantic import Field

from semscale.chat.settings import CALLS, CHAT, Budget, Limits
from semscale.cli.options import refuse_stated
from semscale.cli.process import say
from semscale.cli.project_file import SERVERS, Configurable
from semscale.cli.trust import DATABASE_PASSWORD, require_trust, usual_endpoint
from semscale.distributed.actor_pool import ActorPool
from semscale.endpoints import KEY_VARIABLE
from semscale.errors import InputError
from semscale.history import HISTORY_FILE
from semscale.settings import COLUMNS, INPUT, RUN, Option, Settings
from semscale.spelling import as_option, spelled
from semscale.store.table_settings import TableSettings
from semscale.trust import Recipient

if TYPE_CHECKING:
    from semscale.chat.budget import Forecast, PriceTable
    from semscale.chat.chat_model import ChatModel
    from semscale.chat.ledger import Ledger
    from semscale.chat.runner import Runner, Running
    from semscale.cli.outputs import Outputs
    from semscale.distributed.cluster_parts import Recipe
    from semscale.distributed.datasets import ModelRecipe
    from semscale.embedding.embedder import Embedder
    from semscale.embedding.loading import LoadingSettings
    from semscale.history.history import History
    from semscale.results.table_columns import Columns
    from semscale.results.table_runs import PartSettings, PartWorkers
    from semscale.stats.intervals import IntervalPlan
    from semscale.store.table import Table
    from semscale.survey.description import Survey
    from semscale.types import Progress

AnyColumns = TypeVar("AnyColumns", bound="Columns")

ARGUMENTS, MODEL, HISTORY = "Arguments", "Model", "History"
"""Panels of the help that several commands have."""

TextColumn = Annotated[str, Field(description="Column of texts."), Option(COLUMNS, "COLUMN")]

InputFile = Annotated[
    str,
    Field(
        description="Table (CSV, Excel, Parquet, JSONL, SPSS, Stata, SAS, evaluation log), folder "
        "of Parquet files, or URL; - is standard input."
    ),
    Option(ARGUMENTS, "FILE", positional=True),
]


class TableOptions(Configurable):
    """Format of a table."""

    settings: TableSettings = TableSettings()

    def open(self, file: str) -> "Table":
        """Open a table; ``-`` is standard input. A file behind a URL is copied with progress of its own.

        Without a setting, the table is read as the description beside it states.
        """
        from semscale.store.places import is_url
        from semscale.store.reading import open_table
        from semscale.survey.finding import reading_beside

        is_stated = self.settings != TableSettings()
        settings = dict(self.settings if is_stated else reading_beside(file))
        if not is_url(file):
            return open_table(file, **settings)
        from semscale.cli.progress import progress_bars

        with progress_bars() as progress:
            return open_table(file, **settings, progress=progress)


class RowOptions(Settings):
    """Format of a table, columns that are derived from others, and rows that are kept."""

    source: TableOptions
    where: Annotated[
        str | None,
        Field(description='SQL condition for the rows to keep, such as "age >= 18".'),
        Option(INPUT, "EXPRESSION"),
    ] = None
    derive: Annotated[
        tuple[str, ...],
        Field(description='New column from an SQL expression, such as adult="age >= 18".'),
        Option(INPUT, "NAME=EXPRESSION", rare=True),
    ] = ()

    def open(self, file: str, *, is_reported: bool = False) -> "Table":
        """Open a table, add columns, and leave rows out.

        Args:
            file: its path; ``-`` is standard input.
            is_reported: whether the summary reports how the table was read; otherwise standard error does.

        Raises:
            InputError: the file, a derived column or the condition cannot be read, or no row is left.
        """
        from semscale.store.exports.unfinished import with_unfinished_counted
        from semscale.store.expressions import filter_table, with_derived

        table = with_derived(self.source.open(file), self.derive)
        if self.where is not None:
            table = filter_table(table, self.where)
        table = with_unfinished_counted(table)
        if not is_reported:
            _say_notes(table.notes)
        return table


class SurveyOptions(Configurable):
    """The file with the description of a survey."""

    survey: Annotated[
        str | None,
        Field(
            description="Description of the questions (semscale columns --out survey.yaml), or none "
            "(default: survey.yaml beside the table)."
        ),
        Option(INPUT, "FILE|none", configurable=True),
    ] = None

    def find(
        self,
        table: "Table",
        file: str,
        *,
        weight: str | None = "",
        wave: str | None = "",
        groups: Sequence[str] = (),
        is_reported: bool = True,
    ) -> "tuple[Table, Survey | None]":
        """Find the description of a table, and leave out the rows that it names as no respondents.

        What the user should know of it is added to the table's notes.

        Args:
            table: the table.
            file: its path as the user wrote it.
            weight: the column of weights; ``None`` if none is named, empty if the command uses none.
            wave: the column of waves, likewise.
            groups: questions and columns by which the command compares groups.
            is_reported: whether the summary reports the notes; otherwise standard error does.

        Raises:
            InputError: as ``find_survey``.
        """
        if self.survey == "none":
            return table, None
        from semscale.survey.finding import find_survey, survey_beside, unused_facts
        from semscale.survey.respondents import leave_out_rows
        from semscale.survey.survey_file import error_in_key

        path = None if self.survey is None else Path(self.survey)
        origin = self.origin("survey")
        is_stated = origin is None or origin.file is None
        survey, note = find_survey(
            table, file, stated=path if is_stated else None, configured=None if is_stated else path
        )
        notes = [note] if note else []
        if survey is not None:
            notes += unused_facts(survey, weight=weight, wave=wave, groups=groups)
            try:
                table = leave_out_rows(table, survey)
            except InputError as error:
                described = path or survey_beside(file)
                raise error if described is None else error_in_key(described, error) from error
        if is_reported:
            return replace(table, notes=(*table.notes, *notes)), survey
        _say_notes(notes)
        return table, survey

    def resolve(
        self, table: "Table", file: str, columns: "AnyColumns", *, is_reported: bool = True
    ) -> "tuple[Table, AnyColumns]":
        """Return a table, and the columns to read from it by its description (``resolve_columns``).

        Args:
            table: the table.
            file: its path as the user wrote it.
            columns: columns and questions as the user names them.
            is_reported: as in ``find``.

        Raises:
            InputError: as ``find`` and ``resolve_columns``.
        """
        from semscale.results.table_columns import resolve_columns

        weight = getattr(columns, "weight", "")
        table, survey = self.find(table, file, weight=weight, is_reported=is_reported)
        n = len(table.notes)
        table, columns = resolve_columns(columns, table, survey)
        if not is_reported:
            _say_notes(table.notes[n:])
        return table, columns


def _say_notes(notes: Iterable[str]) -> None:
    for text in notes:
        say(f"note: {spelled(text, as_option)}")


class RunOptions(Configurable):
    """Intervals of a run over a table, and the parts in which it is read.

    Raises:
        InputError: a value out of range.
    """

    interval: Annotated[
        float, Field(description="Coverage of the intervals."), Option(RUN, rare=True, configurable=True)
    ] = 0.95
    seed: Annotated[
        int,
        Field(description="Seed of all random numbers."),
        Option(RUN, rare=True, configurable=True),
    ] = 0
    part_rows: Annotated[
        int,
        Field(description="Rows per part; a stopped run continues after the last finished part."),
        Option(RUN, rare=True, configurable=True),
    ] = 50_000
    restart: Annotated[
        bool, Field(description="Start again instead of continuing a stopped run."), Option(RUN, rare=True)
    ] = False

    def model_post_init(self, _context: object) -> None:
        """Refuse now what would be refused once a model is loaded."""
        if self.model_fields_set:  # the defaults are in range, and the check imports SciPy
            _ = self.plan, self.parts

    @property
    def plan(self) -> "IntervalPlan":
        """Settings of the intervals."""
        from semscale.stats.intervals import IntervalPlan

        return IntervalPlan(self.interval, seed=self.seed)

    @property
    def parts(self) -> "PartSettings":
        """Settings of the parts."""
        from semscale.results.table_runs import PartSettings

        return PartSettings(self.part_rows, self.restart)

    def parts_into(self, outputs: "Outputs") -> "PartSettings":
        """Settings of the parts of a run that writes a table."""
        return replace(self.parts, escape=outputs.escape)


class EmbedderOptions(Configurable):
    """The model that turns texts into vectors, as ``load_embedder`` takes it."""

    name: Annotated[
        str | None,
        Field(
            description="Embedding model: a known name, a folder, or organisation/name on the Hugging Face "
            "hub."
        ),
        Option(MODEL, "MODEL", name="--embedder", configurable=True),
    ] = None
    precision: Annotated[
        Literal["exact", "fast", "turbo"],
        Field(description="Precision: exact (float32), fast (bfloat16), or turbo (8 bits, e5-small)."),
        Option(MODEL, configurable=True, rare=True),
    ] = "exact"
    engine: Annotated[
        str,
        Field(
            description="Program that runs the embedding model: openvino, torch (PyTorch) or api (an "
            "endpoint)."
        ),
        Option(MODEL, "ENGINE", rare=True, configurable=True),
    ] = "openvino"
    device: Annotated[
        str,
        Field(description="Device for --engine torch: cpu, cuda, cuda:N, mps or auto."),
        Option(MODEL, "DEVICE", rare=True, configurable=True),
    ] = "auto"
    base_url: Annotated[
        str | None,
        Field(description="Address of the endpoint for --engine api."),
        Option(MODEL, "URL", name="--embedder-url", rare=True, configurable=True),
    ] = None
    key_variable: Annotated[
        str | None,
        Field(description=f"Environment variable with the key for --embedder-url (default: {KEY_VARIABLE})."),
        Option(MODEL, "NAME", name="--embedder-key-variable", rare=True, configurable=True),
    ] = None
    cache: Annotated[
        bool,
        Field(description="Compute all embeddings again; do not use or write the cache on disk."),
        Option(MODEL, rare=True, configurable=True),
    ] = True

    @property
    def is_stated(self) -> bool:
        """True if the command line names the model."""
        return "name" in self.model_fields_set

    @property
    def chosen_name(self) -> str:
        """The model's name, the default one unless another is given."""
        from semscale.weights.known import DEFAULT_MODEL

        return self.name or DEFAULT_MODEL

    def loading(self, progress: "Progress | None") -> "LoadingSettings":
        """Settings of ``load_embedder`` beyond name and precision; the first time it pulls the weights."""
        # Device and endpoint of the project's file serve only the engines that have them.
        settings: LoadingSettings = {
            "engine": self.engine,
            "device": "auto" if self.engine != "torch" and self.origin("device") else self.device,
            "base_url": None if self.engine != "api" and self.origin("base_url") else self.base_url,
            "cache": self.cache,
            "progress": progress,
        }
        if self.engine == "api":
            origin = self.origin("engine")
            if self.base_url is None and origin is not None and origin.file is not None:
                require_trust("texts", [usual_endpoint()], origin.file)
            settings["key_variable"] = key_variable(self, "texts")
        return settings

    def load(self, progress: "Progress | None", *, default: str | None = None) -> "Embedder":
        """Load the model; the first time its weights are pulled.

        Args:
            progress: called while weights are pulled.
            default: the model if none is named; that of most commands unless given.
        """
        from semscale.embedding.loading import load_embedder

        loading = self.loading(progress)
        loading["precision"] = self.precision
        return load_embedder(self.name or default or self.chosen_name, **loading)


def key_variable(options: "EmbedderOptions | ChatOptions", content: str) -> str | None:
    """Return the variable with the key of an endpoint, and ask for trust in an endpoint of a project's file.

    An endpoint of the project's file gets no key unless the same file or the user names its variable, and a
    variable of the file serves for no other endpoint.

    Args:
        options: the group with the endpoint.
        content: kind of content that is sent there, for messages.

    Returns:
        The variable; ``None`` where no key is sent.

    Raises:
        InputError: the endpoint is of the project's file, and the user does not trust it.
    """
    stated, origin, key_origin = (
        options.key_variable,
        options.origin("base_url"),
        options.origin("key_variable"),
    )
    if origin is None or origin.file is None:
        is_of_file = key_origin is not None and key_origin.file is not None
        return KEY_VARIABLE if stated is None or is_of_file else stated
    require_trust(content, [Recipient(str(options.base_url), stated or None)], origin.file)
    return stated or None


def check_database(options: Configurable, name: str, content: str) -> None:
    """Announce a database that a project's file names, and ask for trust in one on a server.

    Args:
        options: the group with the database.
        name: field of its address.
        content: kind of content that is read from and stored in it, for messages.

    Raises:
        InputError: the user does not trust the server.
    """
    origin, address = options.origin(name), str(getattr(options, name))
    if origin is None or origin.file is None:
        return
    if address.startswith(SERVERS):
        require_trust(content, [Recipient(address, DATABASE_PASSWORD)], origin.file)
    else:
        say(f"note: {content} are read from and stored in {address}, which {origin} names")


class ChatOptions(Configurable):
    """The chat model that is asked."""

    model: Annotated[
        str | None,
        Field(
            description="Chat model: a name at OpenAI or --chat-url, or local for a small one on this "
            "machine."
        ),
        Option(CHAT, "NAME", name="--chat-model", configurable=True),
    ] = None
    base_url: Annotated[
        str | None,
        Field(description="Address of the chat model's OpenAI-compatible endpoint."),
        Option(CHAT, "URL", name="--chat-url", rare=True, configurable=True),
    ] = None
    key_variable: Annotated[
        str | None,
        Field(description=f"Environment variable with the key for --chat-url (default: {KEY_VARIABLE})."),
        Option(CHAT, "NAME", name="--chat-key-variable", rare=True, configurable=True),
    ] = None

    @property
    def is_stated(self) -> bool:
        """True if the command line, and not the project's file, names the model."""
        return "model" in self.model_fields_set

    def load(self, progress: "Progress | None" = None, *, name: str | None = None) -> "ChatModel":
        """Load the model; the first time a local one's weights are pulled.

        Args:
            progress: called while weights are pulled.
            name: another model at the same endpoint.

        Raises:
            SemscaleError: it cannot be loaded.
        """
        from semscale.chat import load_chat_model

        model, variable = name or str(self.model), key_variable(self, "prompts")
        return load_chat_model(model, base_url=self.base_url, key_variable=variable, progress=progress)


class CallOptions(Configurable):
    """Pace and caps of calls, and where replies are stored."""

    limits: Limits = Limits()
    budget: Budget = Budget()
    prices: Annotated[
        Path | None,
        Field(
            description="YAML file with prices of models (default: SEMSCALE_PRICES, or prices.yaml of the "
            "user)."
        ),
        Option(CALLS, "FILE", rare=True, configurable=True),
    ] = None
    ledger: Annotated[
        str | None,
        Field(
            description="Database that stores paid replies: SQLite file or PostgreSQL URL (default: "
            "SEMSCALE_LEDGER, or "
            "a file of Semscale)."
        ),
        Option(CALLS, "FILE|URL", rare=True, configurable=True),
    ] = None
    dry_run: Annotated[
        bool, Field(description="Forecast the calls and their cost; send nothing."), Option(CALLS)
    ] = False

    def running(self, ledger: "Ledger | None" = None) -> "Running":
        """Return limits, budget, prices and ledger of calls.

        Args:
            ledger: one that is open; that of the options unless given.
        """
        from semscale.chat.runner import Running

        storage: Ledger | str | bool = self._ledger() if ledger is None else ledger
        return Running(limits=self.limits, budget=self.budget, prices=self.price_table, ledger=storage)

    def open_ledger(self) -> "Ledger":
        """Open the ledger that stores replies."""
        from semscale.chat.ledger import Ledger

        self._ledger()
        return Ledger(self.ledger)

    def runner(self, model: "ChatModel") -> "Runner":
        """Return the runner that sends requests to a model."""
        from semscale.chat.runner import Runner

        return Runner(model, self.running())

    def forecasts(
        self,
        works: "Mapping[str, Callable[[Ledger, PriceTable | None], Coroutine[object, object, Forecast]]]",
    ) -> "dict[str, Forecast]":
        """Forecast the calls to each model, without those whose replies the ledger has.

        Args:
            works: by the model's name, a function that forecasts its requests with a ledger and prices.
        """
        from semscale.chat.runner import run_to_end

        ledger = self.open_ledger()
        try:
            return {name: run_to_end(work(ledger, self.price_table)) for name, work in works.items()}
        finally:
            ledger.close()

    def _ledger(self) -> str | bool:
        check_database(self, "ledger", "replies")
        if self.ledger is not None and "://" not in self.ledger:
            from semscale.store.atomic import check_folder_of

            check_folder_of(Path(self.ledger).expanduser(), "ledger")
        return True if self.ledger is None else self.ledger

    @property
    def price_table(self) -> "PriceTable | None":
        """The prices that the options name; ``None`` for the user's own."""
        from semscale.chat.budget import PriceTable

        return None if self.prices is None else PriceTable.load(self.prices)


class JudgeCallOptions(CallOptions):
    """Calls whose replies must contain a score or a label."""

    retry_unparsable: Annotated[
        bool,
        Field(description="Ask again where a stored reply could not be read."),
        Option(CALLS, rare=True),
    ] = False

    def running(self, ledger: "Ledger | None" = None) -> "Running":
        """Return limits, budget, prices and ledger of calls, and whether unreadable replies are repeated.

        Args:
            ledger: one that is open; that of the options unless given.
        """
        return replace(super().running(ledger), retry_unreadable=self.retry_unparsable)


class HistoryOptions(Configurable):
    """The history of runs, and the dataset in it."""

    dataset: Annotated[
        str | None,
        Field(description="Name of the dataset (default: the only one of the history)."),
        Option(HISTORY, "NAME"),
    ] = None
    history: Annotated[
        str | None,
        Field(description=f"SQLite file or PostgreSQL URL (default: SEMSCALE_HISTORY, or ./{HISTORY_FILE})."),
        Option(HISTORY, "FILE|URL", configurable=True),
    ] = None

    def open(self, *, create: bool = False) -> "History":
        """Open the history that is named, or the environment's, or the one in this folder.

        Args:
            create: whether to start one where there is none.

        Raises:
            InputError: it cannot be opened, or there is none.
        """
        from semscale.history.history import open_history

        return open_history(self.location(Path()), create=create)

    def location(self, folder: Path) -> str | Path:
        """Return the history that is named, or the environment's, or the one in a folder.

        Raises:
            InputError: the user does not trust the server that a project's file names.
        """
        if self.history is not None and "://" in self.history:
            check_database(self, "history", "runs")
        return self.history or os.environ.get("SEMSCALE_HISTORY") or folder / HISTORY_FILE


class RayOptions(Settings):
    """The Ray cluster that computes the parts of a run, if there is one.

    Raises:
        InputError: an option of a cluster without one, or a value out of range.
    """

    cluster: Annotated[
        str | None,
        Field(
            description="Run on a Ray cluster: HOST:PORT, auto (a cluster on this machine) or local (start "
            "one)."
        ),
        Option(RUN, "ADDRESS", name="--ray", rare=True),
    ] = None
    pool: ActorPool = ActorPool()

    def model_post_init(self, _context: object) -> None:
        """Refuse what the cluster cannot do."""
        if self.cluster is None:
            refuse_stated("--ray, which is not given", self)
        elif not self.cluster.strip():
            raise InputError("cluster", "must be HOST:PORT, auto or local, got an empty text")

    @contextmanager
    def workers(self, engine: str, recipe: "Callable[[], Recipe]") -> "Iterator[PartWorkers | None]":
        """Join the cluster for the time of the block, and give what computes parts; ``None`` without one.

        Args:
            engine: of the embedding model.
            recipe: returns how a node builds the instrument.

        Raises:
            MissingExtraError: ``semscale[ray]`` is not installed.
            InputError: there is no such cluster, or GPUs for an engine that uses none.
        """
        if self.cluster is None:
            yield None
            return
        if self.pool.gpus and engine != "torch":
            raise InputError(f"--gpus-per-actor belongs to --engine torch, got --engine {engine}")
        from semscale.distributed.cluster import connect
        from semscale.distributed.cluster_parts import ClusterParts

        with connect(self.cluster):
            yield ClusterParts(recipe(), self.pool)


def model_recipe(options: EmbedderOptions, default: str, *, cache: bool = True) -> "ModelRecipe":
    """Return how a node loads the embedding model.

    Args:
        options: the model.
        default: the model if none is named.
        cache: whether the command stores vectors at all.

    Raises:
        InputError: an endpoint, which more machines make no faster.
    """
    from semscale.distributed.datasets import ModelRecipe

    refuse_endpoint(options)
    return ModelRecipe(
        options.name or default,
        options.precision,
        options.engine,
        cache and options.cache,
        options.device,
    )


def refuse_endpoint(options: EmbedderOptions) -> None:
    """Refuse an engine that computes nothing on the nodes.

    Raises:
        InputError: it is an endpoint.
    """
    if options.engine == "api":
        raise InputError("--ray belongs to engines that compute on the nodes: leave it out with --engine api")
