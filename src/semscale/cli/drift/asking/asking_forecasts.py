"""Dry runs of ``semscale drift record --prompts`` and ``matrix``: what asking would take."""

from collections.abc import Coroutine, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING, Any

from semscale.chat.budget import ASSUMED_REPLY, BYTES_PER_TOKEN
from semscale.chat.forecast import Forecast, ForecastSummary, forecast
from semscale.chat.messages import Request
from semscale.cli.drift.asking.asked_items import read_asked_table
from semscale.cli.drift.command_options import RecordOptions
from semscale.cli.drift.matrix_options import MatrixOptions
from semscale.cli.drift.matrix_run import read_matrix
from semscale.cli.outputs import check_input
from semscale.cli.runs.judge import forecast_judge
from semscale.drift.asking.items_to_ask import ItemToAsk
from semscale.drift.asking.model_asking import ModelAsker
from semscale.drift.asking.rounds import open_round
from semscale.drift.matrix.cells import AskedCell, cells_of
from semscale.judging.comparing import AnswerPair
from semscale.judging.judge import Judge

if TYPE_CHECKING:
    from semscale.chat.ledger.ledger import Ledger

_PART = 500  # pairs of answers whose prompts are in memory together
_JUDGED = (
    "Nobody was asked. The judge's calls are the most that there can be: each pair of answers differs, and "
    "answers are as long as they may be."
)


def forecast_recording(options: RecordOptions) -> ForecastSummary:
    """Forecast the calls of ``drift record --prompts``, without asking.

    Raises:
        InputError: a file cannot be read, or a setting is out of range.
    """
    check_input(str(options.asking.prompts))
    table = read_asked_table(options.asking.prompts, options.asking.items, options.source, options.table)
    settings = options.asking.request.settings
    model = options.asking.request.load(str(options.asking.chat_model))
    asker = ModelAsker(model, settings, options.calls.running())

    async def work(ledger: "Ledger") -> Forecast:
        asked = await open_round(ledger, asker.keys(table.prompts))
        samples = asked.samples(options.asking.reruns + 1)
        return await forecast(asker.requests(table.prompts, samples), model, ledger=ledger)

    forecasts = options.calls.forecasts({asker.name: work})
    return ForecastSummary(table.source, forecasts, len(table.items), {}, "item")


def forecast_matrix(options: MatrixOptions) -> ForecastSummary:
    """Forecast the calls of ``drift matrix``, without asking; a judge's as the most that there can be.

    Raises:
        InputError: as ``compare_matrix``.
    """
    templates, items, file = read_matrix(options)
    settings = options.request.settings
    cells = cells_of(options.load_models(), templates)
    judge = options.judge.load(options.request)
    by_model: dict[str, list[AskedCell]] = {}
    for cell in cells:
        by_model.setdefault(cell.model.name, []).append(cell)

    async def work(of_model: Sequence[AskedCell], ledger: "Ledger") -> Forecast:
        asker = ModelAsker(of_model[0].model, settings, options.calls.running())
        prompts = [prompt for cell in of_model for prompt in cell.prompts(items)]
        requests = asker.requests(prompts, range(options.reruns + 1))
        return await forecast(requests, asker.model, ledger=ledger)

    works: dict[str, Any] = {name: partial(work, found) for name, found in by_model.items()}
    if judge is not None:
        longest = settings.max_tokens or ASSUMED_REPLY

        def judged(ledger: "Ledger") -> Coroutine[object, object, Forecast]:
            return forecast_judge(judge, partial(_longest_pairs, judge, items, len(cells), longest), ledger)

        works[judge.name if judge.name not in works else f"{judge.name}, as the judge"] = judged
    found = ForecastSummary(file, options.calls.forecasts(works), len(items), {}, "item")
    return found if judge is None else replace(found, note=_JUDGED)


def _longest_pairs(
    judge: Judge, items: Sequence[ItemToAsk], n_cells: int, tokens: int, form: int
) -> Iterator[Request]:
    """Give the judge's requests if all answers differed and were as long as they may be."""
    for one, other in combinations(range(n_cells), 2):
        for start in range(0, len(items), _PART):
            shown = [
                judged
                for item in items[start : start + _PART]
                for judged in AnswerPair(
                    item.input, _longest(one, tokens), _longest(other, tokens), item.reference
                ).in_both_orders
            ]
            yield from judge.requests_about(shown)[form]


def _longest(cell: int, tokens: int) -> str:
    return f"{cell} ".ljust(round(tokens * BYTES_PER_TOKEN), "x")
