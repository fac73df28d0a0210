"""Typed decisions: questions whose answer is a probability for each value, so that nothing is parsed."""

from semscale.chat.decisions.answers import DecisionAnswer, DecisionAnswers
from semscale.chat.decisions.deciding_run import DecisionRun, decide
from semscale.chat.decisions.decision_model import DecisionLimits, DecisionModel
from semscale.chat.decisions.questions import (
    ChoiceQuestion,
    DecisionRequest,
    Option,
    PredicateQuestion,
    ScoreQuestion,
)

__all__ = [
    "ChoiceQuestion",
    "DecisionAnswer",
    "DecisionAnswers",
    "DecisionLimits",
    "DecisionModel",
    "DecisionRequest",
    "DecisionRun",
    "Option",
    "PredicateQuestion",
    "ScoreQuestion",
    "decide",
]
