"""The judge in one call."""

from typing import Unpack

from semscale.judging.asking import Running
from semscale.judging.judge import Judge
from semscale.judging.judge_settings import JudgeSettings
from semscale.judging.verdicts import Verdicts


def judge(
    questions: object,
    answers: object,
    *,
    chat_model: object,
    references: object = None,
    running: Running | None = None,
    **settings: Unpack[JudgeSettings],
) -> Verdicts:
    """Judge answers to questions, in one call.

    Args:
        questions: a list or a series.
        answers: likewise, one for each question.
        chat_model: what judges, as ``load_chat_model`` takes it: a chat model, LangChain's too, or a name.
        references: answers that are known to be right.
        running: how calls are made.
        settings: as ``Judge`` takes them.

    Raises:
        InputError: as ``Judge`` and ``Judge.judge``.
        ReplyError: as ``Judge.judge``.
    """
    return Judge(chat_model, **settings).judge(questions, answers, references=references, running=running)
