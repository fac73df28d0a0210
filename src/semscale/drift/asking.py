"""Runs with outputs of a chat model: items with prompts, answers, and rounds of new replies."""

import hashlib
import json
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from semscale.chat.budget import Price, PriceTable
from semscale.chat.chat_model import ChatModel
from semscale.chat.ledger import KEY_BYTES, ContentKeys, Ledger
from semscale.chat.loading import load_chat_model
from semscale.chat.messages import TRANSIENT, FailureKind, Reply, Request, RequestOutcome
from semscale.chat.runner import Runner, Running, run_to_end
from semscale.chat.settings import AskSettings
from semscale.drift.cells import CellLocation, group_objects, input_text, names_in
from semscale.drift.columns import GROUP_OBJECTS
from semscale.drift.runs import AskedFacts
from semscale.drift.settings import COST, LATENCY, TOKENS
from semscale.errors import InputError, InterruptedRunError, ReplyError
from semscale.history.items import Item, Output
from semscale.history.runs import Run, list_names
from semscale.input_files import read_input_text
from semscale.messages import did_you_mean
from semscale.store.table import Table
from semscale.types import Floats, Progress

TEMPLATE_ENDINGS = (".txt", ".md")
"""File extensions of templates."""

NO_RUN = -1
"""Owner of these replies in a ledger, as they belong to no run of the chat layer."""

_BATCH = 20_000
_INPUTS = ("input", "prompt")
_COLUMN = re.compile(r"\{(\{[^\W\d][\w .-]*\})\}|\{([^\W\d][\w .-]*)\}")
_SILENT = frozenset({FailureKind.REFUSED, FailureKind.SILENT})
_CLOSED = Reply("recorded")


@dataclass(frozen=True)
class PromptTemplate:
    """Template of a prompt that is filled with the cells of an item.

    ``{question}`` is replaced by the cell of the column *question*. ``{{question}}`` becomes ``{question}``.
    All other braces, such as those of JSON, stay unchanged.

    Attributes:
        name: the file's name.
        text: the prompt.

    Examples:
        >>> template = PromptTemplate("a.txt", 'Answer {question} as {"answer": ...}, not as {{question}}.')
        >>> template.fill({"question": "Is 7 prime?"})
        'Answer Is 7 prime? as {"answer": ...}, not as {question}.'
    """

    name: str
    text: str

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns in the template, in the order of their first use."""
        return tuple(dict.fromkeys(match[2] for match in _COLUMN.finditer(self.text) if match[2]))

    @property
    def content_hash(self) -> str:
        """Eight hex digits of the SHA-256 of the text."""
        return hashlib.sha256(self.text.encode()).hexdigest()[:8]

    def check(self, known: Collection[str], source: str) -> None:
        """Check that the template uses at least one column and no unknown column.

        Args:
            known: names of the columns.
            source: the table's name, for messages.

        Raises:
            InputError: the template uses no column, or one that the table does not have.
        """
        if not self.columns:
            raise InputError(
                f"{self.name} names no column of {source} in braces, such as {{{next(iter(known))}}}, so "
                "that every item would get the same prompt"
            )
        for name in self.columns:
            if name not in known:
                hint = did_you_mean(name, known) or ";"
                raise InputError(
                    f"{self.name}: {source} has no column '{name}'{hint} its columns are {', '.join(known)}; "
                    f"write {{{{{name}}}}} for the word in braces itself"
                )

    def fill(self, cells: Mapping[str, str]) -> str:
        """Write the prompt of an item.

        Args:
            cells: the item's cells, by column.
        """
        return _COLUMN.sub(lambda match: match[1] or cells[match[2]], self.text)


def is_template(path: str) -> bool:
    """Return true if a file's extension is that of a template; other files are tables."""
    return path.lower().endswith(TEMPLATE_ENDINGS)


def read_template(path: str | Path) -> PromptTemplate:
    """Read a template from a file.

    Raises:
        InputError: the file cannot be read, is not UTF-8, or is blank.
    """
    try:
        text = read_input_text(path, "utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "not UTF-8"
        raise InputError(f"the template {str(path)!r} cannot be read: {reason}") from None
    if not text.strip():
        raise InputError(f"the template {str(path)!r} is empty: write the prompt into it")
    return PromptTemplate(Path(path).name, text.strip())


@dataclass(frozen=True)
class PromptColumns:
    """The meaning of the columns of a table of items to ask about.

    Attributes:
        id: column of the items' ids.
        input: column of the inputs; by default ``input``, or else ``prompt``. It can be missing if there is a
            template.
        by: columns of groups; their names are the kinds of groups.
        reference: column of correct answers; ``None`` without one.
    """

    id: str = "id"
    input: str | None = None
    by: tuple[str, ...] = ()
    reference: str | None = None

    def resolve_in(self, table: Table, templates: Sequence[PromptTemplate] = ()) -> "PromptColumns":
        """Check that a table has the columns, and return them with the column of the input, if any.

        Raises:
            InputError: a column is missing.
        """
        table.require(self.id, "id")
        for template in templates:
            template.check(table.columns, table.name)
        for kind in self.by:
            table.require(kind, "by")
        if self.reference is not None:
            table.require(self.reference, "reference")
        chosen = self.input or next((name for name in _INPUTS if name in table.columns), None)
        if chosen is not None or not templates:
            table.require(chosen or _INPUTS[0], "input")
        return replace(self, input=chosen)


@dataclass(frozen=True)
class ItemToAsk:
    """Item of a dataset without an answer yet.

    Attributes:
        id: id of the item in every run.
        input: the question without the text of a template, so that runs with different prompts can be
            compared.
        cells: cells for templates, as text by column, without missing cells.
        groups: names of its groups by their kind.
        reference: correct answer; ``None`` without one.
        location: file and row, for messages.
    """

    id: str
    input: str
    cells: Mapping[str, str] = field(default_factory=dict)
    groups: Mapping[str, str] = field(default_factory=dict)
    reference: str | None = None
    location: str = ""

    @property
    def unanswered(self) -> Item:
        """Item of a run, without outputs."""
        return Item(self.id, (), self.input, self.groups, self.reference)

    def prompt(self, template: PromptTemplate | None = None) -> str:
        """Return the prompt: the input, or a template filled with the item's cells.

        Raises:
            InputError: a cell that the template reads is missing, or the prompt is blank.
        """
        if template is None:
            prompt = self.input
        else:
            missing = [name for name in template.columns if name not in self.cells]
            if missing:
                raise InputError(
                    f"{self.location}: column '{missing[0]}' is empty, and {template.name} reads it; fill it "
                    "in, or leave the row out"
                )
            prompt = template.fill(self.cells)
        if not prompt.strip():
            raise InputError(f"{self.location}: the prompt is empty; write one, or leave the row out")
        return prompt


def read_items_to_ask(
    table: Table, columns: PromptColumns, templates: Sequence[PromptTemplate] = ()
) -> tuple[ItemToAsk, ...]:
    """Read the items of a table, in its order.

    If the table has no column of inputs, an item's input is its cells as JSON, without id, groups and
    reference.

    Args:
        table: one row for each item.
        columns: the meaning of the columns.
        templates: templates of the prompts; without one, the inputs are sent.

    Raises:
        InputError: a column or an id is missing, an id occurs twice, a cell is not a text, or there is no
            row.
    """
    chosen = columns.resolve_in(table, templates)
    titles = {name for template in templates for name in template.columns}
    items = tuple(_items(table, chosen, titles))
    if not items:
        raise InputError(f"{table.name} has no rows: there is nothing to ask")
    repeated = [name for name, n in Counter(item.id for item in items).items() if n > 1]
    if repeated:
        raise InputError(f"{table.name}: ids must occur once, got {list_names(repeated)} more than once")
    return items


@dataclass(frozen=True)
class Answer:
    """The answer to the prompt of one item.

    Attributes:
        outputs: outputs with a text; empty without any.
        reason: reason for a missing output; ``None`` if there is one.
        is_lost: true if a call failed that may succeed later, so that the model has not answered yet.
        is_cut: true if the text was cut at the maximum number of tokens.
        is_silent: true if the model answered without a text: a refusal, a content filter, or an empty reply.
    """

    outputs: tuple[Output, ...] = ()
    reason: str | None = None
    is_lost: bool = False
    is_cut: bool = False
    is_silent: bool = False


@dataclass(frozen=True)
class Answers:
    """Answers of one model or program to n prompts, each asked k times.

    Attributes:
        asked: n answers for each of k rounds.
        n_calls: number of calls made now, without stored replies.
        currency: currency of costs; ``None`` if no price is known.
        left_out: parameters that were left out because the model refused them.
        n_kept: number of answers from an earlier, stopped command.
    """

    asked: tuple[tuple[Answer, ...], ...]
    n_calls: int = 0
    currency: str | None = None
    left_out: tuple[str, ...] = ()
    n_kept: int = 0

    @property
    def every(self) -> tuple[Answer, ...]:
        """All answers, one round after the other."""
        return tuple(answer for asking in self.asked for answer in asking)

    @property
    def n_answered(self) -> int:
        """Number of answers with an output."""
        return sum(bool(answer.outputs) for answer in self.every)

    @property
    def n_cut(self) -> int:
        """Number of answers that were cut at the maximum number of tokens."""
        return sum(answer.is_cut for answer in self.every)

    @property
    def reasons(self) -> dict[str, int]:
        """Number of answers without an output by reason, the most frequent first."""
        return dict(Counter(answer.reason for answer in self.every if answer.reason).most_common())

    @property
    def lost(self) -> dict[str, int]:
        """Number of failed calls that may succeed later, by reason."""
        return dict(Counter(answer.reason or "" for answer in self.every if answer.is_lost).most_common())

    def numbers(self, name: str) -> Floats:
        """Return a field of all outputs that have it, shape (m,).

        Args:
            name: one of ``ASKED_FIELDS``.
        """
        numbers = (output.fields.get(name) for answer in self.every for output in answer.outputs)
        return np.array([number for number in numbers if number is not None], dtype=np.float64)

    def facts(self, prompts: str, settings: Mapping[str, object]) -> AskedFacts:
        """Summarize calls, tokens, cost and latency.

        Args:
            prompts: source of the prompts.
            settings: parameters of the requests, by name.
        """
        numbers = {name: self.numbers(field) for name, field in (("tokens", TOKENS), ("cost", COST))}
        known = {name: values for name, values in numbers.items() if len(values)}
        seconds = self.numbers(LATENCY)
        return AskedFacts(
            prompts,
            settings,
            self.n_calls,
            self.n_cut,
            self.reasons,
            {name: float(values.sum()) for name, values in known.items()},
            {name: len(values) for name, values in known.items()},
            self.currency,
            float(np.median(seconds)) if len(seconds) else None,
            self.left_out,
            self.n_kept,
        )

    def check_complete(self) -> None:
        """Check that no call failed that may succeed later: an outage is not an empty answer.

        Raises:
            InterruptedRunError: such calls failed.
        """
        if self.lost:
            raise InterruptedRunError(
                f"{sum(self.lost.values())} of {len(self.every)} calls failed, most often because: "
                f"{next(iter(self.lost))}; no run is recorded, received replies are stored, and the same "
                "command asks for the rest"
            )


def items_with_answers(items: Iterable[Item], answers: Sequence[Answer]) -> tuple[Item, ...]:
    """Return items with their answers' outputs; an item without an output counts as silent.

    Args:
        items: n items without outputs.
        answers: n answers.
    """
    return tuple(replace(item, outputs=answer.outputs) for item, answer in zip(items, answers, strict=True))


@dataclass(frozen=True)
class ModelAsker:
    """Chat model with the parameters of its requests.

    Attributes:
        model: the model.
        settings: parameters of the requests.
        running: concurrency, retries, budget and ledger of the calls.
    """

    model: ChatModel
    settings: AskSettings
    running: Running

    @property
    def name(self) -> str:
        """The model's name."""
        return self.model.name

    def keys(self, prompts: Sequence[str]) -> list[bytes]:
        """Return hashes of model, prompt and parameters, one for each prompt."""
        content = ContentKeys(self.model)
        return [content.of(self.settings.request(prompt, 0)) for prompt in prompts]

    def requests(self, prompts: Sequence[str], samples: Sequence[int]) -> list[Request]:
        """Build the requests of all prompts for each sample number, in the order of the answers."""
        return [self.settings.request(prompt, sample) for sample in samples for prompt in prompts]

    async def ask(
        self, prompts: Sequence[str], samples: Sequence[int], progress: Progress | None = None
    ) -> tuple[Answers, Running]:
        """Send every prompt once for each sample number; replies in the ledger are reused.

        Args:
            prompts: n prompts.
            samples: sample numbers of the k rounds.
            progress: called as replies arrive.

        Returns:
            The answers, and ``running`` with the remaining budget.

        Raises:
            InterruptedRunError: a cap was reached, or no reply came for too long; replies are stored.
            ReplyError: no call can succeed, or none succeeded.
        """
        running = self.running
        runner = Runner(self.model, running)
        price = (running.prices or PriceTable.load()).find(self.model.name)
        requests = self.requests(prompts, samples)
        outcomes: dict[int, RequestOutcome] = {}
        async with aclosing(runner.stream(requests, progress=progress)) as stream:
            async for outcome in stream:
                outcomes[outcome.index] = outcome
        listed = [_answer(outcomes[index], price) for index in range(len(requests))]
        n = len(prompts)
        n_new = sum(outcome.attempts > 0 for outcome in outcomes.values())
        replies = [outcome.reply for outcome in outcomes.values() if outcome.reply]
        answers = Answers(
            tuple(tuple(listed[start : start + n]) for start in range(0, len(listed), n)),
            runner.spent.calls,
            None if price is None else price.currency,
            tuple(sorted({name for reply in replies for name in reply.left_out})),
            # Equal prompts share one call.
            max(0, len(set(prompts)) * len(samples) - n_new),
        )
        if answers.n_answered == 0 and answers.reasons:
            reason = next(iter(answers.reasons))
            raise ReplyError(f"no call brought a usable reply, most often because: {reason}")
        return answers, running.after(runner.spent)


def ask_runs(
    items: Sequence[ItemToAsk],
    chat_model: object,
    *,
    dataset: str,
    reruns: int = 0,
    template: PromptTemplate | None = None,
    settings: AskSettings | None = None,
    running: Running | None = None,
    progress: Progress | None = None,
) -> tuple[Run, ...]:
    """Ask a chat model for a run and its reruns, each with new calls.

    With a ledger, calling the function again after an interruption resumes the run; after a completed call,
    it sends new calls.

    Args:
        items: the items to ask about.
        chat_model: a chat model, a LangChain chat model, or a name for ``load_chat_model``.
        dataset: name of the dataset.
        reruns: number of reruns.
        template: template of the prompts; by default, the items' inputs are sent.
        settings: parameters of the requests.
        running: concurrency, retries, budget and ledger of the calls.
        progress: called as replies arrive.

    Returns:
        The run, followed by its reruns.

    Raises:
        InputError: the number of reruns is negative, or a prompt cannot be built.
        InterruptedRunError: the run was stopped early, or calls failed that may succeed later.
        ReplyError: no call succeeded.
    """
    if reruns < 0:
        raise InputError("reruns", f"must be at least 0, got {reruns}")
    asker = ModelAsker(load_chat_model(chat_model), settings or AskSettings(), running or Running())
    prompts = [item.prompt(template) for item in items]
    answers = run_to_end(_ask_round(asker, prompts, reruns + 1, progress))
    empty = [item.unanswered for item in items]
    runs = [Run(dataset, asker.name, items_with_answers(empty, asking)) for asking in answers.asked]
    return runs[0], *(replace(run, rerun_of=runs[0].id) for run in runs[1:])


@dataclass(frozen=True)
class AskingRound:
    """One round of asking the same prompts.

    A ledger returns the stored reply for a known request. A new run needs new replies: a nightly run must not
    be compared with the replies of the first night. Each round therefore has separate sample numbers, and the
    ledger records when the runs of a round are stored.

    Attributes:
        key: key of the ledger's note that the round's runs are stored.
        first_sample: first sample number of the round.
    """

    key: bytes
    first_sample: int

    def samples(self, n: int) -> range:
        """Return the sample numbers of n runs."""
        return range(self.first_sample, self.first_sample + n)


async def open_round(ledger: Ledger, keys: Iterable[bytes]) -> AskingRound:
    """Return the first unfinished round: a stopped round or a new one.

    Args:
        ledger: stores the replies.
        keys: hashes of the prompts; the order does not matter.
    """
    identity = hashlib.blake2b(b"".join(sorted(keys)), digest_size=KEY_BYTES).digest()
    number = 0
    while await ledger.find((asked := _round(identity, number)).key) is not None:
        number += 1
    return asked


async def close_round(ledger: Ledger, asked: AskingRound) -> None:
    """Record that a round's runs are stored, so that the same command starts a new round."""
    await ledger.record(asked.key, NO_RUN, _CLOSED)


def _items(table: Table, columns: PromptColumns, titles: Collection[str]) -> Iterator[ItemToAsk]:
    """Yield an item for each row; ``titles`` are the columns that templates read."""
    start = 0
    for batch in table.batches(_BATCH):
        first = {title: CellLocation(table.name, start, title) for title in batch.columns}
        ids = names_in(batch, columns.id, first[columns.id])
        groups = {kind: names_in(batch, kind, first[kind]) for kind in columns.by if kind in first}
        cells = {title: batch[title].to_list() for title in batch.columns}
        for row in range(batch.height):
            yield _item(
                CellLocation(table.name, start + row, columns.id),
                columns,
                ids[row],
                {title: column[row] for title, column in cells.items()},
                {kind: name for kind, names in groups.items() if (name := names[row]) is not None},
                titles,
            )
        start += batch.height


def _item(
    location: CellLocation,
    columns: PromptColumns,
    id_: str | None,
    cells: Mapping[str, object],
    groups: Mapping[str, str],
    titles: Collection[str],
) -> ItemToAsk:
    if id_ is None or not id_.strip():
        raise location.error("has no id", "give every item an id")

    def text(title: str | None) -> str | None:
        return None if title is None else input_text(cells.get(title), replace(location, column=title))

    roles = {columns.id, columns.input, columns.reference, *columns.by}
    if GROUP_OBJECTS in cells and GROUP_OBJECTS not in roles:
        named_groups = group_objects(cells[GROUP_OBJECTS], replace(location, column=GROUP_OBJECTS))
        groups = {**groups, **named_groups}
    if columns.input is not None:
        input_ = text(columns.input) or ""
    else:
        further = {title: cell for title, cell in cells.items() if title not in {*roles, GROUP_OBJECTS}}
        input_ = json.dumps(further, ensure_ascii=False, sort_keys=True, default=str)
    read = {title: cell for title in titles if (cell := text(title)) is not None}
    shown = f"{location.file}, data row {location.row + 1}"
    return ItemToAsk(id_.strip(), input_, read, groups, text(columns.reference), shown)


def _answer(outcome: RequestOutcome, price: Price | None) -> Answer:
    """Convert the outcome of a request to an answer; without a price, outputs have no cost."""
    reply, failure = outcome.reply, outcome.failure
    if reply is not None:
        output = Output(reply.text, _numbers(reply, price), reply.reasoning or None)
        return Answer((output,), is_cut=reply.finish_reason == "length")
    if failure is None:
        return Answer(reason="no reply", is_lost=True)
    is_silent = failure.kind in _SILENT
    is_lost = failure.kind in TRANSIENT and not is_silent
    return Answer(reason=str(failure), is_lost=is_lost, is_silent=is_silent)


def _numbers(reply: Reply, price: Price | None) -> dict[str, float]:
    numbers: dict[str, float] = {}
    if reply.usage is not None:
        numbers[TOKENS] = float(reply.usage.tokens)
        if price is not None:
            numbers[COST] = price.of(reply.usage)
    if reply.seconds is not None:
        numbers[LATENCY] = reply.seconds
    return numbers


async def _ask_round(asker: ModelAsker, prompts: Sequence[str], n: int, progress: Progress | None) -> Answers:
    """Ask all prompts n times, in a round of the ledger if there is a ledger."""
    setting = asker.running.ledger
    if setting is False:
        answers, _ = await asker.ask(prompts, range(n), progress)
        answers.check_complete()
        return answers
    ledger = setting if isinstance(setting, Ledger) else Ledger(None if setting is True else setting)
    try:
        open_asker = replace(asker, running=replace(asker.running, ledger=ledger))
        asked = await open_round(ledger, asker.keys(prompts))
        answers, _ = await open_asker.ask(prompts, asked.samples(n), progress)
        answers.check_complete()
        await close_round(ledger, asked)
    finally:
        if ledger is not setting:
            ledger.close()
    return answers


def _round(identity: bytes, number: int) -> AskingRound:
    key = hashlib.blake2b(b"round of asking" + identity + number.to_bytes(8), digest_size=KEY_BYTES).digest()
    return AskingRound(key, int.from_bytes(key[:4]) >> 2)
