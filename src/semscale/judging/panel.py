"""Several judges that score the same items."""

import asyncio
from collections.abc import Sequence
from contextlib import AsyncExitStack

import numpy as np

from semscale.chat.connections import held_open
from semscale.chat.runner import run_apart
from semscale.errors import InputError, SemscaleError
from semscale.judging.asking import Running
from semscale.judging.judge import Judge, JudgeState
from semscale.judging.prompts import JudgedItem, read_items
from semscale.judging.verdict import Verdict
from semscale.judging.verdicts import PanelVerdicts, Verdicts
from semscale.messages import known_settings
from semscale.signature import Signature
from semscale.types import Progress, Status

_FEWEST = 2


class Panel:
    """Judges that score the same items at the same time.

    Args:
        judges: two or more; the same model may sit twice with different settings.

    Raises:
        InputError: fewer than two, or something that is no judge.

    References:
        Verga et al. (2024), Replacing Judges with Juries, arXiv 2404.18796.
    """

    @known_settings
    def __init__(self, judges: Sequence[Judge]) -> None:
        members = tuple(judges) if isinstance(judges, Sequence) else ()
        if len(members) < _FEWEST or not all(isinstance(judge, Judge) for judge in members):
            raise InputError(f"judges must be a list of two or more Judge, got {judges!r}")
        self.judges = members

    @property
    def names(self) -> tuple[str, ...]:
        """The judges' names, numbered where several have the same."""
        plain = [judge.name for judge in self.judges]
        numbers = [plain[: index + 1].count(name) for index, name in enumerate(plain)]
        return tuple(
            f"{name} ({number})" if plain.count(name) > 1 else name
            for name, number in zip(plain, numbers, strict=True)
        )

    @property
    def signature(self) -> Signature:
        """The judges' signatures, numbered, in their order."""
        return join_signatures([judge.signature for judge in self.judges])

    def judge(
        self,
        questions: object,
        answers: object,
        *,
        references: object = None,
        running: Running | None = None,
        progress: Progress | None = None,
    ) -> PanelVerdicts:
        """Let every judge score the items; arguments are those of ``Judge.judge``.

        A judge that fails, for one item or altogether, does not affect the others, and is counted. A budget
        is divided equally among the judges.

        Raises:
            InputError: lists of unequal length.
        """
        return run_apart(
            self.judge_async(questions, answers, references=references, running=running, progress=progress)
        )

    async def judge_async(
        self,
        questions: object,
        answers: object,
        *,
        references: object = None,
        running: Running | None = None,
        progress: Progress | None = None,
    ) -> PanelVerdicts:
        """Let every judge score the items; as ``judge``, for code that runs in an event loop."""
        rows = read_items(questions, answers, references)
        part = (running or Running()).divided(len(self.judges), "judges")
        return await self.judge_rows(rows, [part] * len(self.judges), progress)

    async def judge_rows(
        self,
        rows: Sequence[JudgedItem | Status],
        running: Sequence[Running],
        progress: Progress | None = None,
    ) -> PanelVerdicts:
        """Judge rows as ``read_items`` returns them; each judge has a ``Running`` to itself."""
        verdicts, _ = await self.judge_part(rows, [JudgeState(part) for part in running], progress)
        return verdicts

    async def judge_part(
        self,
        rows: Sequence[JudgedItem | Status],
        states: Sequence[JudgeState],
        progress: Progress | None = None,
    ) -> tuple[PanelVerdicts, tuple[JudgeState, ...]]:
        """Judge the rows of one part, and give each judge's state for the next; see ``Judge.judge_part``."""
        async with AsyncExitStack() as stack:
            for judge in self.judges:
                await stack.enter_async_context(held_open(judge.model))
            results = await asyncio.gather(
                *(
                    _judge_or_fail(judge, rows, state, progress)
                    for judge, state in zip(self.judges, states, strict=True)
                )
            )
        judges = tuple(verdicts for verdicts, _ in results)
        readable = np.array([isinstance(row, JudgedItem) for row in rows], dtype=bool)
        status = np.array([row if isinstance(row, Status) else Status.SCORED for row in rows], dtype=object)
        scored = np.array([verdicts.scored for verdicts in judges])
        for row in np.flatnonzero(readable & ~scored.any(axis=0)):
            status[row] = _common_status({verdicts.status[row] for verdicts in judges})
        signature = join_signatures([verdicts.signature for verdicts in judges])
        return PanelVerdicts(self.names, judges, status, signature), tuple(state for _, state in results)


async def _judge_or_fail(
    judge: Judge, rows: Sequence[JudgedItem | Status], state: JudgeState, progress: Progress | None
) -> tuple[Verdicts, JudgeState]:
    """Return a judge's verdicts; where it cannot be asked at all, every item has failed."""
    try:
        return await judge.judge_part(rows, state, progress)
    except SemscaleError as error:
        verdicts = tuple(
            Verdict.without_score(Status.FAILED, str(error))
            if isinstance(row, JudgedItem)
            else Verdict.without_item(row)
            for row in rows
        )
        return judge.verdicts(verdicts, state), state


def join_signatures(signatures: Sequence[Signature]) -> Signature:
    """Write several judges' signatures as one, their fields numbered from 1."""
    fields = tuple(
        (f"{name}_{number}", value)
        for number, signature in enumerate(signatures, start=1)
        for name, value in signature.fields
    )
    return Signature.of("panel", judges=len(signatures)).extended(Signature("panel", fields))


def _common_status(statuses: set[Status]) -> Status:
    """Return why an item has no score from any judge: what can still be repaired comes first."""
    order = (Status.UNFINISHED, Status.FAILED, Status.UNPARSABLE, Status.REFUSED)
    return next((status for status in order if status in statuses), Status.FAILED)
