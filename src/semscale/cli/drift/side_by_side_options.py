"""Options of commands in which a judge compares answers side by side."""

from typing import TYPE_CHECKING, Annotated, Literal

from semscale.cli.drift.asking.asking_options import RequestOptions
from semscale.cli.options.groups import option_group
from semscale.cli.options.panels import option

if TYPE_CHECKING:
    from semscale.judging.judge import Judge
    from semscale.types import Progress

_JUDGE = "Judge"


@option_group
class PairJudgeOptions:
    """Who judges answers side by side.

    Attributes:
        model: a model's name, or ``NAME@URL``; nobody judges unless given.
        rubric: the text, or ``@`` and the name of a file that holds it.
        method: prose, or decision for typed decisions.
    """

    model: Annotated[
        str | None,
        option(
            _JUDGE,
            "A chat model that compares each pair of answers in both orders: a name, NAME@URL, or local.",
            "NAME",
            name="--judge-model",
        ),
    ] = None
    rubric: Annotated[
        str | None,
        option(_JUDGE, "Your own words on which answer is better; @FILE reads them.", "TEXT"),
    ] = None

    method: Annotated[
        Literal["prose", "decision"],
        option(
            _JUDGE,
            "prose, or decision: a probability for each verdict, and nothing to parse.",
            "METHOD",
            name="--judge-method",
            shown=True,
        ),
    ] = "prose"

    def load(self, request: RequestOptions, progress: "Progress | None" = None) -> "Judge | None":
        """Load the judge; ``None`` where nobody judges.

        Raises:
            SemscaleError: the model cannot be loaded, or a file cannot be read.
        """
        from semscale.cli.options.judging import read_rubric
        from semscale.judging.judge import Judge
        from semscale.judging.templates import side_by_side_template

        if self.model is None:
            return None
        template = side_by_side_template(read_rubric(self.rubric) or "")
        model = request.load(self.model, progress)
        return Judge(model, template=template, method=self.method)
