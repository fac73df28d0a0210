"""The command ``semscale columns``: a description of each column of a table."""

from semscale.cli.options.columns import ColumnsOptions
from semscale.cli.options.groups import grouped


@grouped
def columns(options: ColumnsOptions) -> None:
    """Describe each column and its inferred type.

    [bold]semscale columns answers.sav --report columns.html --out columns.xlsx[/bold]

    An id, open text, single or multiple choice, ordinal, number, date or weight, with values, labels and
    counts, missing cells, and quotes. Without --text, rate takes the only open text.
    """
    from semscale.cli.outputs import present
    from semscale.cli.runs.columns import describe_columns

    present(describe_columns(options), options.outputs)
