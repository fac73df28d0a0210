"""Further anchor sets for a scale: the prompt for a chat model, its reply, and the scale's file."""

import re
from dataclasses import dataclass
from json import JSONDecodeError
from typing import TYPE_CHECKING, Any

from semscale.errors import InputError
from semscale.json_reading import parse_json
from semscale.presentable import Presentable
from semscale.rating.lint import LintReport, SetLint, lint
from semscale.scales import Scale
from semscale.scales.scale_file import scale_text
from semscale.types import Progress

if TYPE_CHECKING:
    from semscale.embedding.embedder import Embedder

_RULES = (
    "Write sentences as respondents would say or type them, not descriptions of the points.",
    "All sentences of a set are about the same topic. Each set has a topic of its own, far from the others.",
    "The sentences of a set have about the same length; it neither rises nor falls with the point.",
    "The ends are clearly stronger than their neighbours, and a middle point is truly in between.",
    "Use other words in every set. Do not repeat the question or the labels.",
)
_FORM = '{"sets": [{"topic": "one to three words", "anchors": ["lowest point", "...", "highest point"]}]}'
_LONGEST_NAME = 40


def growing_prompt(scale: Scale, n: int) -> str:
    """Write the prompt that asks for n further anchor sets.

    Examples:
        >>> from semscale.scales import load_scale
        >>> growing_prompt(load_scale("trust"), 10).splitlines()[0]
        'Write 10 further anchor sets for a survey scale, in the language "en".'
    """
    points = "\n".join(f"{number}. {label}" for number, label in enumerate(scale.labels, start=1))
    sets = "\n".join(f"- {name}: {' | '.join(anchors)}" for name, anchors in scale.anchor_sets.items())
    rules = "\n".join(f"- {rule}" for rule in _RULES)
    return (
        f'Write {n} further anchor sets for a survey scale, in the language "{scale.language}".\n\n'
        f"The scale is called {scale.title}. Its question: {scale.question}\n"
        f"Its points, from the lowest to the highest:\n{points}\n\n"
        f"An anchor set has one sentence for each point, in this order. The sets so far:\n{sets}\n\n"
        f"{rules}\n\n"
        f"Reply with one JSON object and nothing else, with {scale.n_points} anchors in each set:\n{_FORM}"
    )


@dataclass(frozen=True, repr=False)
class Growth(Presentable):
    """Anchor sets proposed for a scale, for review.

    Attributes:
        scale: the scale with the proposed sets after its own.
        proposed: names of the proposed sets.
        source: source of the proposals, such as a model and a date.
        lint: the linter's report on all sets together.
        left_out: reasons why other proposals are not anchor sets of this scale.
    """

    scale: Scale
    proposed: tuple[str, ...]
    source: str
    lint: LintReport
    left_out: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"Growth(scale={self.scale.name!r}, proposed={list(self.proposed)})"

    @property
    def sets(self) -> tuple[SetLint, ...]:
        """The linter's entries of the proposed sets."""
        return tuple(entry for entry in self.lint.sets if entry.name in self.proposed)

    def record(self) -> dict[str, Any]:
        """Return the proposal by name, for JSON."""
        return {
            "instrument": "grow",
            "scale": self.scale.name,
            "source": self.source,
            "sets": [
                {
                    "name": entry.name,
                    "anchors": entry.anchors,
                    "verdict": entry.verdict,
                    "reasons": [finding.reason for finding in entry.findings],
                }
                for entry in self.sets
            ],
            "left_out": self.left_out,
            "signature": self.lint.signature,
        }


def grow(
    scale: Scale,
    reply: str,
    *,
    source: str,
    embedder: "Embedder | str | None" = None,
    progress: Progress | None = None,
) -> Growth:
    """Add the sets of a reply to a scale, and lint them.

    Args:
        scale: a scale whose sets serve every model.
        reply: text with a JSON object, as requested by ``growing_prompt``.
        source: source of the reply, such as the name of a model and the date.
        embedder: as in ``lint``.
        progress: called while texts are embedded.

    Raises:
        InputError: the reply has no anchor set for this scale, or the scale names sets by model.
    """
    if scale.sets_by_model:
        raise InputError(f"{scale.name!r} names sets by model: remove sets_by_model before you add sets")
    grown, left_out = scale, []
    for topic, anchors in _proposals(reply):
        name = _free_name(topic, grown)
        try:
            grown = Scale(
                **{
                    **dict(grown),
                    "anchor_sets": {**grown.anchor_sets, name: tuple(anchors)},
                    "sources": {**grown.sources, name: source},
                }
            )
        except InputError as error:
            left_out.append(f"{topic}: {error}")
    proposed = tuple(name for name in grown.anchor_sets if name not in scale.anchor_sets)
    if not proposed:
        raise InputError(f"the reply has no anchor set with {scale.n_points} sentences: ask again")
    return Growth(grown, proposed, source, lint(grown, embedder=embedder, progress=progress), tuple(left_out))


def _proposals(reply: str) -> list[tuple[str, list[str]]]:
    """Read topics and anchors from a reply; text around the JSON object is ignored."""
    begin, end = reply.find("{"), reply.rfind("}")
    try:
        fields = parse_json(reply[begin : end + 1])
        return [(str(entry["topic"]), list(map(str, entry["anchors"]))) for entry in fields["sets"]]
    except (JSONDecodeError, KeyError, TypeError):
        raise InputError(f"the reply must hold a JSON object such as {_FORM}") from None


def _free_name(topic: str, scale: Scale) -> str:
    """Return a name from a topic that no set has yet."""
    words = re.sub(r"[^a-z0-9]+", "-", topic.lower()).strip("-")[:_LONGEST_NAME].strip("-") or "set"
    name, number = words, 2
    while name in scale.anchor_sets:
        name, number = f"{words}-{number}", number + 1
    return name


def grow_file(content: str, growth: Growth) -> str:
    """Add proposed sets and their source to the text of a scale's file; its comments stay.

    Args:
        content: text of the file.
        growth: proposals for the scale in it.

    Raises:
        InputError: the file cannot be changed without losing something.
    """
    return scale_text(growth.scale, content.encode())
