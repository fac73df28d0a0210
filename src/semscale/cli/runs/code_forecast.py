"""Forecasts of ``semscale code``: the calls that a chat model would take, without asking it."""

from collections import Counter
from functools import partial

from semscale.chat.costs.forecast_summary import ForecastSummary
from semscale.cli.options.coding import CodeOptions
from semscale.cli.progress import progress_bars
from semscale.cli.runs.code import chat_model_of
from semscale.cli.runs.judge_forecasts import forecast_judge
from semscale.coding.chat_codes import QUESTION, code_judge
from semscale.coding.codebook import load_codebook
from semscale.rating.cells import text_status
from semscale.store.columns import column_in
from semscale.types import Status

_BATCH = 50_000


def forecast_codes(options: CodeOptions) -> ForecastSummary:
    """Forecast the calls about the answers of a file, without those whose replies the ledger has.

    Raises:
        SemscaleError: a column, codebook, option or output that does not serve, or a model that cannot be
            loaded.
    """
    text = options.columns.text
    codebook = load_codebook(options.codebook)
    options.outputs.of_forecast.check()
    table = options.table.open(options.file)
    table.require_text(text, "text")
    cells = [
        cell for batch in table.batches_with([text], _BATCH) for cell in column_in(batch, text).to_list()
    ]
    with progress_bars() as progress:
        judge = code_judge(chat_model_of(options.chat, progress), codebook, options.chat.method)
    rows = Counter(text_status(cell) for cell in cells)
    answers = [str(cell) for cell in cells if text_status(cell) is Status.SCORED]
    forms = judge.requests([options.chat.question or QUESTION] * len(answers), answers)
    n = rows.pop(Status.SCORED, 0)
    work = {judge.name: partial(forecast_judge, judge, forms.__getitem__)}
    return ForecastSummary(
        table.name,
        options.calls.forecasts(work),
        n,
        {str(status): count for status, count in rows.items()},
        noun="answer",
        note="Nothing was sent. A model that refuses parameters takes a few calls more, once.",
    )
