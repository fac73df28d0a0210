"""A matrix of models and prompts, asked, matched and judged in one call."""

from collections.abc import Sequence
from dataclasses import replace

from semscale.chat.chat_model import load_chat_model
from semscale.chat.ledger import Ledger
from semscale.chat.runner import Running, run_apart
from semscale.drift.asking import AskSettings, ItemToAsk, PromptTemplate
from semscale.drift.matrix.cells import AskedCell, ask_cells, cells_of
from semscale.drift.matrix.matrix import AskedMatrix
from semscale.drift.matrix.matrix_signature import matrix_signature
from semscale.drift.matrix.scores import reference_scores
from semscale.drift.matrix.sides import judge_cells
from semscale.errors import InputError
from semscale.judging.judge import Judge
from semscale.judging.templates import side_by_side_template
from semscale.matching.matcher import Matcher, check_method
from semscale.matching.settings import DEFAULT_METHOD, MatchSettings
from semscale.types import Progress


def ask_matrix(  # noqa: PLR0913 - each is one noun, and all but two have a default
    items: Sequence[ItemToAsk],
    chat_models: Sequence[object],
    templates: Sequence[PromptTemplate] = (),
    *,
    reruns: int = 0,
    settings: AskSettings | None = None,
    judge: object | None = None,
    method: str = DEFAULT_METHOD,
    matching: MatchSettings | None = None,
    running: Running | None = None,
    progress: Progress | None = None,
) -> AskedMatrix:
    """Ask every chat model with every prompt, and say who is better.

    Answers are matched with the references of the items that have one, and compared side by side if there is
    a judge. Models at different endpoints are asked beside each other. A model that is down leaves the others
    to finish. With a ledger, the same call goes on where one was stopped, and shows the same answers later.

    Args:
        items: n items that are asked about; those with a ``reference`` are scored by it.
        chat_models: what ``load_chat_model`` takes: chat models, LangChain's or your own, or names.
        templates: of the prompts; the items' inputs are sent unless given.
        reruns: how often everything is asked once more; an item then has the mean of its scores.
        settings: parameters of the requests.
        judge: compares the first answers of each two cells in both orders: a ``Judge`` with the template of
            ``side_by_side_template``, or what ``load_chat_model`` takes.
        method: matches answers with references, one of ``semscale.matching.matcher.METHODS``.
        matching: the method's model, precision and seed.
        running: how calls are made: at once, repeated, paid, kept; its budget holds for all of them together.
        progress: called as replies come, and while texts are matched.

    Returns:
        The matrix: ``summarize()`` has all figures, ``to_frame()`` every answer, ``report(path)`` a page.

    Raises:
        InputError: nothing to ask, a setting out of range, fewer than two cells or one of them twice, or a
            prompt that cannot be written.
        InterruptedRunError: a cap was reached; replies are kept.
        ReplyError: all models are down, or the judge is.

    Example:
        >>> from semscale.chat.messages import Reply
        >>> from semscale.signature import Signature
        >>> class Parrot:
        ...     signature = Signature.of("chat", model="parrot")
        ...     def __init__(self, name, said):
        ...         self.name, self.said = name, said
        ...     async def complete(self, request):
        ...         return Reply(self.said)
        >>> matrix = ask_matrix(
        ...     [ItemToAsk("q1", "Is 7 prime?")],
        ...     [Parrot("polly", "Yes."), Parrot("coco", "No.")],
        ...     running=Running(ledger=False),
        ... )
        >>> matrix.to_frame()["output"].to_list()
        ['Yes.', 'No.']
    """
    if reruns < 0:
        raise InputError(f"reruns must be at least 0, got {reruns}")
    if not items:
        raise InputError("items must hold at least one item to ask about, got none")
    check_method(method)
    cells = cells_of(
        [load_chat_model(model, progress=progress) for model in chat_models], templates or [None]
    )
    settings, running = settings or AskSettings(), running or Running()
    judging = None if judge is None else _judge(judge)
    matrix = run_apart(_asked(cells, items, settings, judging, running, reruns + 1, progress))
    if any(item.reference is not None for item in items):
        matcher = Matcher.from_settings((matching or MatchSettings()).changed(method=method))
        scores = reference_scores(
            matrix.cells, items, matcher.pair_method, guards=matcher.guards, progress=progress
        )
        matrix = replace(matrix, scores=scores)
    return matrix


def _judge(judge: object) -> Judge:
    return judge if isinstance(judge, Judge) else Judge(judge, template=side_by_side_template(""))


async def _asked(  # noqa: PLR0913, PLR0917 - what a matrix is asked with
    cells: Sequence[AskedCell],
    items: Sequence[ItemToAsk],
    settings: AskSettings,
    judge: Judge | None,
    running: Running,
    times: int,
    progress: Progress | None,
) -> AskedMatrix:
    """Ask the cells, and the judge about what they gave, with one open ledger for all."""
    place = running.ledger
    ours = None
    if not isinstance(place, Ledger) and place is not False:
        ours = Ledger(None if place is True else place)
        running = replace(running, ledger=ours)
    try:
        found, left = await ask_cells(
            cells, items, settings=settings, running=running, times=times, progress=progress
        )
        pairs = None
        if judge is not None:
            pairs = await judge_cells(found, items, judge, running=left, progress=progress)
    finally:
        if ours is not None:
            ours.close()
    return AskedMatrix("items", items, found, matrix_signature(cells, items, settings, times), pairs=pairs)
