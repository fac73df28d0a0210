"""LangChain's decision models (``BaseDecisionModel``, from langchain-core 1.8), and runnables like them."""

import json
import sys
from collections.abc import Mapping
from typing import Any

from semscale.chat.decisions.answers import DecisionAnswers, why_unreadable
from semscale.chat.decisions.decision_model import DecisionLimits
from semscale.chat.decisions.questions import DecisionRequest
from semscale.chat.decisions.systemone_format import state_of, systemone_answers, systemone_question
from semscale.chat.endpoint.failures import failure_of
from semscale.chat.endpoint.reply import usage_in
from semscale.chat.replies import CallError, FailureKind
from semscale.chat.secrets import Scrubber, environment_secrets
from semscale.signature import Signature

_MODULE = "langchain_core.decisions"
_KINDS = {"noul": "Noul", "choice": "Choice", "score": "Score"}


def is_classifier(model: object) -> bool:
    """Tell by its methods whether an object is a runnable that is no chat model."""
    return callable(getattr(model, "ainvoke", None)) and not callable(getattr(model, "agenerate", None))


class LangChainClassifier:
    """A LangChain decision model.

    A runnable of another kind works, too, if it takes ``{"state": text, "questions": {name: question}}`` and
    returns ``{"answers": {name: answer}}`` in the System One format.

    Args:
        model: a ``BaseDecisionModel``, or such a runnable.
    """

    limits = DecisionLimits()

    def __init__(self, model: Any) -> None:  # noqa: ANN401 - recognised by its methods
        self._model = model
        self._scrubber = Scrubber(environment_secrets())

    @property
    def name(self) -> str:
        """The model's name, or the name of its class."""
        found = next((getattr(self._model, field, None) for field in ("model", "model_name", "name")), None)
        return found if isinstance(found, str) and found else type(self._model).__name__

    @property
    def signature(self) -> Signature:
        """Name and class."""
        name = self.name.replace(":", "@").replace("|", "_")
        return Signature.of("chat", model=name, engine=f"langchain-{type(self._model).__name__}")

    async def decide(self, request: DecisionRequest) -> DecisionAnswers:
        """Send one request; see :class:`~semscale.chat.decisions.decision_model.DecisionModel`."""
        questions = {name: _question(systemone_question(asked)) for name, asked in request.questions.items()}
        outcome = await self._asked({"state": state_of(request), "questions": questions})
        if isinstance(outcome, CallError):
            raise outcome  # outside the handler, so that no exception with a key in it is chained to it
        raw = self._scrubber.reply(json.dumps(outcome, default=str, ensure_ascii=False))
        found = outcome.get("usage") or outcome.get("usage_metadata") or {}
        usage = usage_in({"usage": found}, "input_tokens", "output_tokens")
        try:
            answers = systemone_answers(outcome, request)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            said = f"{self.name} answered with decisions that cannot be read: {why_unreadable(error)}"
            raise CallError(
                self._scrubber.line(said), kind=FailureKind.MALFORMED, raw=raw, usage=usage
            ) from None
        return DecisionAnswers(answers, usage, str(outcome.get("model") or self.name), raw)

    async def _asked(self, content: Mapping[str, Any]) -> Mapping[str, Any] | CallError:
        try:
            answer = await self._model.ainvoke(content)
        except Exception as error:  # every integration raises its own
            return failure_of(error, self._scrubber, model=self.name)
        found = answer.model_dump() if hasattr(answer, "model_dump") else answer
        if isinstance(found, Mapping):
            return found
        said = f"{self.name} answered with {type(answer).__name__}, and not with answers"
        return CallError(said, kind=FailureKind.UNSUPPORTED)


def _question(written: dict[str, Any]) -> Any:  # noqa: ANN401 - LangChain's class, or a mapping
    """Make LangChain's question where its module is loaded, as it is with any of its decision models."""
    module = sys.modules.get(_MODULE)
    return written if module is None else getattr(module, _KINDS[written["type"]])(**written)
