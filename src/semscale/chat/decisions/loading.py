"""Loading of models that decide: an endpoint, a LangChain classifier, a decision model, or a chat model."""

from semscale.chat.chat_model import ChatModel
from semscale.chat.decisions.deciding import DecidingChat
from semscale.chat.decisions.decision_model import DecisionLimits, DecisionModel
from semscale.chat.decisions.endpoint_decisions import FORMATS, EndpointDecisions
from semscale.chat.decisions.langchain_classifier import LangChainClassifier, is_classifier
from semscale.chat.decisions.next_token import LIMITS as LETTER_LIMITS
from semscale.chat.endpoint.openai_endpoint import EndpointChat
from semscale.chat.loading import load_chat_model
from semscale.errors import InputError
from semscale.signature import Signature

NEXT_TOKEN = "next-token"
"""The form of a chat model's decisions: probabilities of the options' letters."""

OWN = "own"
"""The form of a decision model that a user brings."""


def load_deciding_model(model: object, *, base_url: str | None = None) -> DecidingChat:
    """Load a model that decides.

    Args:
        model: what :func:`~semscale.chat.loading.load_chat_model` takes; a ``DecisionModel``; or LangChain's
            decision model.
        base_url: address of an OpenAI-compatible endpoint.

    Raises:
        InputError, ModelError, MissingExtraError: as ``load_chat_model``; or a signature that is none.
    """
    if isinstance(model, DecidingChat):
        return model
    if isinstance(model, DecisionModel):
        if not isinstance(model.signature, Signature):
            raise InputError(
                f"the signature of a decision model must be a Signature, got {model.signature!r:.60}"
            )
        return DecidingChat({OWN: model}, model if isinstance(model, ChatModel) else None)
    if is_classifier(model):
        return DecidingChat({"langchain": LangChainClassifier(model)}, None)
    chat = load_chat_model(model, base_url=base_url)
    if isinstance(chat, EndpointChat):
        return DecidingChat({name: EndpointDecisions(chat, name) for name in FORMATS}, chat)
    return DecidingChat({}, chat)


def forms_of(model: DecidingChat) -> tuple[str, ...]:
    """List the forms in which a model may decide, the one to try first at the beginning."""
    return (*model.deciders, *(() if model.chat is None else (NEXT_TOKEN,)))


def limits_of(model: DecidingChat, form: str) -> DecisionLimits:
    """Give what a model takes in a form."""
    return LETTER_LIMITS if form == NEXT_TOKEN else model.deciders[form].limits
