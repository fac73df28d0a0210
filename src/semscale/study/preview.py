"""Preview of an interview: what a persona sees and is asked, and the prompts that the model gets."""

from collections.abc import Iterator
from dataclasses import dataclass

from semscale.chat.decisions import CUSTOM
from semscale.chat.messages import Message
from semscale.study.interviews import Interview, Kind, Prompts, interviews_of, plan_stops
from semscale.study.questionnaire import Concept, StudyDesign, StudyQuestion

_ANSWER = "(the answer)"


@dataclass(frozen=True)
class PreviewedPrompt:
    """A prompt as the model gets it; earlier answers in it are invented.

    Attributes:
        kind: kind of the reply.
        messages: turns of the conversation.
        questions: texts of the typed decisions that are asked with it; empty for other kinds.
    """

    kind: Kind
    messages: tuple[Message, ...]
    questions: tuple[str, ...] = ()


@dataclass(frozen=True)
class PreviewedQuestion:
    """A question about a concept, as a persona sees it.

    Attributes:
        concept: the concept.
        question: the question.
        prompts: its prompts, one per kind of reply.
    """

    concept: Concept
    question: StudyQuestion
    prompts: tuple[PreviewedPrompt, ...]

    @property
    def is_open(self) -> bool:
        """True if the persona answers in its own words."""
        return any(prompt.kind is Kind.TEXT for prompt in self.prompts)

    @property
    def picks(self) -> bool:
        """True if the persona picks one of the answers."""
        return any(prompt.kind in {Kind.NUMBER, Kind.DECISION} for prompt in self.prompts)


def preview_interview(design: StudyDesign, persona: int) -> list[PreviewedQuestion]:
    """Return the questions of a persona's first interview with the first model, in their order.

    Args:
        design: the study.
        persona: position of the persona, from 0.
    """
    prompts = Prompts(design, design.models[0])
    number = persona * design.questionnaire.samples
    order = plan_stops(design.questionnaire, design.n_interviews, seed=design.seed)[number]
    by_stop: dict[tuple[int, int], list[PreviewedPrompt]] = {
        (stop.concept, stop.question): [] for stop in order
    }
    for interview in interviews_of(prompts, number, order, form=CUSTOM):
        for concept, question, prompt in _prompts_of(prompts, interview):
            by_stop[concept, question].append(prompt)
    asked = design.questionnaire
    return [
        PreviewedQuestion(asked.concepts[concept], asked.questions[question], tuple(shown))
        for (concept, question), shown in by_stop.items()
    ]


def _prompts_of(prompts: Prompts, interview: Interview) -> Iterator[tuple[int, int, PreviewedPrompt]]:
    """Yield the prompts of an interview with the positions of concept and question."""
    while not interview.is_done:
        step = interview.step()
        key = step.key
        decided = () if step.decision is None else tuple(step.decision.questions.values())
        questions = tuple(question.instructions for question in decided)
        yield key.concept, key.question, PreviewedPrompt(key.kind, step.requests[0].messages, questions)
        if prompts.may_be_rated(key):
            rating = prompts.rating(key, _ANSWER)
            yield key.concept, key.question, PreviewedPrompt(Kind.RATING, rating.requests[0].messages)
        interview.add_reply(_ANSWER)
