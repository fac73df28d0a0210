"""Typed decisions: questions whose answer is a probability for each value, so that nothing is parsed."""

from semscale.chat.decisions.questions import (
    ChoiceQuestion,
    DecisionAnswer,
    DecisionAnswers,
    DecisionLimits,
    DecisionModel,
    DecisionRequest,
    Option,
    PredicateQuestion,
    ScoreQuestion,
)
from semscale.chat.decisions.running import DecisionRun, decide

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
