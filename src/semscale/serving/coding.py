"""Codes of the texts in a request, for the service and for an agent's tools."""

from collections import Counter
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from semscale.coding.settings import CodeSettings
from semscale.embedding.embedder import Embedder
from semscale.errors import InputError
from semscale.report.json_encoding import to_json_value
from semscale.scales import Scale
from semscale.serving.background import report_progress
from semscale.serving.instruments import scale_in_request
from semscale.serving.refusals import invalid
from semscale.serving.requests import CodeFields
from semscale.spelling import in_request, without_hints
from semscale.store.missing_codes import missing_keys
from semscale.text_preparation import TextPreparation

if TYPE_CHECKING:
    from semscale.coding.codebook import Code, Codebook
    from semscale.coding.coding import Coding
    from semscale.coding.sentiment import SentimentRater

_NOT_CALIBRATED = (
    "Not calibrated: no answer was coded by hand, so the similarities are not probabilities, and the error "
    "rate of the codes is unknown. Let a person check some of them."
)


def code_request(fields: Any, *, embedder: Embedder, rating: Embedder) -> "Coding":
    """Code the texts of a request.

    Args:
        fields: ``CodingFields``.
        embedder: the model for codes.
        rating: the model for sentiment.

    Raises:
        RefusedRequestError: the codebook cannot be used.
        SemscaleError: a setting is invalid, or a model cannot be run.
    """
    from semscale.coding.codebook import Codebook
    from semscale.coding.sentiment import SentimentRater

    scale = sentiment_scale(fields.sentiment)

    def rater(language: str) -> SentimentRater | None:
        return None if scale is None else SentimentRater(scale, embedder=rating, language=language)

    try:
        codebook = Codebook("of-the-request", tuple(map(code_in_request, fields.codes)))
        return code_texts(fields, codebook, embedder, rater)
    except InputError as error:
        if error.parameter is not None:
            raise
        raise invalid(error.spelled(in_request), "codes") from None


def code_texts(
    fields: Any, codebook: "Codebook", embedder: Embedder, rater: "Callable[[str], SentimentRater | None]"
) -> "Coding":
    """Code the texts of a request by a codebook.

    Args:
        fields: ``CodingFields``.
        codebook: its codes.
        embedder: the model for codes.
        rater: returns the rater of sentiment for the codebook's language.

    Raises:
        InputError: two codes are too similar, or examples do not fit their codes.
        ModelError: a model cannot be run.
    """
    from semscale.coding.coder import Coder
    from semscale.coding.coding import code_answers

    known = CodeSettings.model_fields.keys() & type(fields).model_fields.keys()
    settings = CodeSettings(**{name: getattr(fields, name) for name in known})
    texts = TextPreparation.from_settings(settings).prepare(fields.texts)
    missing = missing_keys(settings.missing)
    coder = Coder(codebook, embedder=embedder).adapt([texts], missing=missing)
    scores = coder.score(texts, missing=missing, progress=report_progress)
    return code_answers(scores, rater=rater(coder.language), settings=settings, progress=report_progress)


def share_estimates(coding: "Coding") -> Mapping[str, Any]:
    """Return the counted share and the sentiment of each code, for JSON."""
    return {
        share.code: to_json_value({
            **vars(share.counted),
            "n": share.n_readable,
            "n_unsure": share.n_unsure,
            "n_left_out": len(coding.outcome) - share.n_readable,
            "sentiment": share.sentiment,
        })
        for share in coding.shares()
    }  # fmt: skip


def coding_cautions(coding: "Coding") -> list[str]:
    """State the limits of the codes."""
    from semscale.report.coding import language_cautions

    return [_NOT_CALIBRATED, *map(without_hints, language_cautions(Counter(map(str, coding.reason))))]


def sentiment_scale(name: str) -> Scale | None:
    """Return a shipped scale for sentiment; ``None`` for the setting ``none``.

    Raises:
        InputError: no shipped scale has this name, or no end of it is good.
    """
    from semscale.coding.sentiment import NO_SENTIMENT, load_sentiment_scale

    return None if name == NO_SENTIMENT else load_sentiment_scale(scale_in_request(name, "sentiment"))


def code_in_request(fields: CodeFields) -> "Code":
    """Return a code of a request.

    Raises:
        InputError: the code has no definition, or an empty name or example.
    """
    from semscale.coding.codebook import Code

    examples, negative = tuple(fields.examples), tuple(fields.negative_examples)
    return Code(fields.name, fields.definition, examples, negative, fields.parent, tuple(fields.keywords))
