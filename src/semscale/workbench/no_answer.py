"""Answers that look like codes for a missing answer, and the button that states them in the description."""

from collections.abc import Collection, Mapping

from semscale.store.missing_codes import OTHER_NUMBERS
from semscale.workbench.data_page import change_survey
from semscale.workbench.project import Project
from semscale.workbench.survey_view import SurveyView


def likely_codes(counts: Mapping[str, int]) -> list[str]:
    """Return the codes of a count of answers that look like one."""
    return [code for code in counts if code != OTHER_NUMBERS]


def save_codes(project: Project, view: SurveyView, question: str, codes: Collection[str]) -> None:
    """Write codes for no answer to a question into the description, as the page of data does.

    Args:
        project: the project that is open.
        view: its survey.
        question: name of the question.
        codes: the codes.

    Raises:
        ConflictError: the description was changed in the meantime.
        InputError: it has no such question, or cannot be written.
    """
    known = view.survey.question(question)
    missing = {**known.missing, **dict.fromkeys(codes, "no answer")}
    changed = known.model_copy(update={"missing": missing})
    questions = [changed if entry is known else entry for entry in view.survey.questions]
    project.save(change_survey(view.survey, questions=questions), f"change of {known.name}", view.stored)
