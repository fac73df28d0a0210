"""The forms of typed decisions that a judge tries."""

from semscale.chat.decisions.deciding import DecidingChat
from semscale.chat.decisions.decision_model import check_decision
from semscale.chat.decisions.loading import forms_of, limits_of
from semscale.chat.decisions.questions import DecisionRequest, ScoreQuestion
from semscale.errors import InputError
from semscale.judging.decisions.criteria_requests import options_of
from semscale.judging.decisions.rubric import Rubric
from semscale.judging.model_capabilities import ModelCapabilities


def decision_tries(model: DecidingChat, rubric: Rubric) -> tuple[ModelCapabilities, ...]:
    """List the forms that can hold a rubric's questions, the one to try first at the beginning.

    Args:
        model: who decides.
        rubric: what it is asked.

    Raises:
        InputError: a criterion has a range and no levels, or more levels than any form takes.
    """
    for criterion in rubric.criteria:
        if not criterion.template.levels:
            said = f"needs a template with levels, {criterion.template.name!r} has a range"
            raise InputError(f"method='decision' {said}", in_shell=f"--method decision {said}")
        most, n = (
            max(limits_of(model, form).levels for form in forms_of(model)),
            len(criterion.template.levels),
        )
        if n > most:
            which = "template" if criterion.name == rubric.name else "criterion"
            raise InputError(
                f"{model.name} takes 2 to {most} levels, got {n} in the {which} {criterion.name!r}; ask "
                "in prose, or take fewer levels"
            )
    questions = {each.name: ScoreQuestion("?", options_of(each.template)) for each in rubric.criteria}
    asked, tries, beyond = DecisionRequest.of("?", questions), [], []
    for form in forms_of(model):
        try:
            check_decision(asked, limits_of(model, form), model.name)
        except InputError as error:
            beyond.append(error)
        else:
            tries.append(ModelCapabilities(structured=False, top_logprobs=None, decision=form))
    if not tries:
        raise InputError(f"{beyond[0]}; ask in prose, or take fewer levels")
    return tuple(tries)
