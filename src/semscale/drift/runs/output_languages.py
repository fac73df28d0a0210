"""Languages of the outputs of two runs."""

from collections import Counter
from dataclasses import dataclass

from semscale.embedding.languages import language_of
from semscale.history.runs import Run
from semscale.signature import Signature
from semscale.weights.known import languages_read


@dataclass(frozen=True)
class OutputLanguage:
    """Outputs in one language.

    Attributes:
        language: ISO 639-1 code; ``None`` for outputs whose language is not clear.
        baseline: how many outputs with a text the baseline has.
        candidate: how many the candidate has.
        read: whether the model reads the language; ``None`` where that is not known.
    """

    language: str | None
    baseline: int
    candidate: int
    read: bool | None


def output_languages(baseline: Run, candidate: Run, signature: Signature) -> tuple[OutputLanguage, ...]:
    """Count the outputs of two runs by language, from the most frequent language to the rarest.

    Outputs whose language is not clear come last.

    Args:
        baseline: the approved run.
        candidate: the run that is compared with it.
        signature: names the model.
    """
    ours, theirs = _counted(baseline), _counted(candidate)
    both, read = ours + theirs, languages_read(signature)
    return tuple(
        OutputLanguage(code, ours[code], theirs[code], code in read if read and code is not None else None)
        for code in sorted(both, key=lambda code: (code is None, -both[code], code or ""))
    )


def _counted(run: Run) -> Counter[str | None]:
    return Counter(language_of(output.text or "") for item in run.items for output in item.outputs_with_text)
