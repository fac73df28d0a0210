"""Runs of ``semscale code``: check the columns, learn from hand-coded rows, code part by part, write."""

from collections.abc import Sequence

from semscale.chat.chat_model import ChatModel
from semscale.cli.options.coding import CodeOptions
from semscale.cli.progress import progress_bars
from semscale.coding.chat_codes import ChatCodes, ask_about_codes
from semscale.coding.codebook import load_codebook
from semscale.coding.coder import Coder
from semscale.coding.settings import CodingChatSettings
from semscale.coding.summary import CodingSummary
from semscale.coding.table_coding import CodingTable, OtherRun
from semscale.results.runs import measure_table
from semscale.scales import load_scale
from semscale.store.deriving.derived_columns import by_label
from semscale.store.reading import open_table
from semscale.types import Progress


def code_table(options: CodeOptions) -> CodingSummary:
    """Code a file, write its table, and sum it up.

    Raises:
        SemscaleError: a column, codebook, option or output that cannot be used, or a model that cannot be
            run.
    """
    codebook, chat = load_codebook(options.codebook), options.chat
    options.outputs.check_run(options.file, restart=options.run.restart)
    table, by = by_label(options.table.open(options.file, is_reported=True), options.columns.by)
    columns = options.columns.changed(by=tuple(by))
    columns.check(table)
    other = None
    if options.rate_scale is not None:
        load_scale(options.rate_scale)  # refused now, as it is needed once answers are scored
    if options.other_run is not None:
        coded = open_table(options.other_run)
        coded.require(columns.text, "other_run")
        other = OtherRun(coded, codebook, columns.text, options.other_run)
    with progress_bars() as progress:

        def ask(texts: Sequence[str]) -> ChatCodes:
            return ask_about_codes(
                chat_model_of(chat, progress),
                codebook,
                texts,
                question=chat.question,
                method=chat.method,
                running=options.calls.running(),
                progress=progress,
            )

        instrument = CodingTable(
            columns,
            codebook,
            lambda: Coder(codebook, embedder=options.model.load(progress)),
            settings=options.coding,
            ask=None if chat.chat_model is None else ask,
            asked=_asked_settings(chat),
            scale=options.rate_scale,
            other=other,
            plan=options.run.plan,
            progress=progress,
        )
        return measure_table(
            table, instrument, out=options.outputs.out, settings=options.run.parts, progress=progress
        )


def chat_model_of(chat: CodingChatSettings, progress: Progress | None) -> ChatModel | None:
    """Load the chat model; ``None`` where none is named.

    Raises:
        SemscaleError: it cannot be loaded.
    """
    if chat.chat_model is None:
        return None
    from semscale.chat.loading import load_chat_model

    return load_chat_model(chat.chat_model, base_url=chat.chat_url, progress=progress)


def _asked_settings(chat: CodingChatSettings) -> dict[str, str]:
    """Name the settings of the chat model that decide the codes; its endpoint does not."""
    if chat.chat_model is None:
        return {}
    settings = {"chat_model": chat.chat_model, "method": chat.method, "question": chat.question}
    return {name: value for name, value in settings.items() if value}
