"""Names of formats of evaluation logs and of headers of survey tools, which settings and readers share."""

from typing import Literal, get_args

LogFormat = Literal["inspect", "promptfoo", "openai-evals"]
"""Formats of evaluation logs."""

LOG_FORMATS: tuple[str, ...] = get_args(LogFormat)

JSON = "json"
"""Format of a JSON file that may be a log of inspect_ai or of promptfoo."""

HeaderKind = Literal[
    "auto", "plain", "qualtrics", "surveymonkey", "limesurvey", "sosci", "google-forms", "microsoft-forms",
    "typeform", "kobo", "redcap", "alchemer",
]  # fmt: skip
"""Headers: of survey tools, a ``plain`` row of names, or ``auto``, which recognizes them by their form."""
