"""The command ``semscale codebook``: what each column of a table holds."""

from semscale.cli.options.codebook import CodebookOptions
from semscale.cli.options.groups import grouped


@grouped
def codebook(options: CodebookOptions) -> None:
    """Say what each column of a table holds, and what it is taken for.

    [bold]semscale codebook answers.sav --report codebook.html --out codebook.xlsx[/bold]

    An id, open text, single or multiple choice, ordinal, number, date or weight, with values, labels and
    counts, missing cells, and quotes. Without --text, rate takes the only open text.
    """
    from semscale.cli.outputs import present
    from semscale.cli.runs.codebook import make_codebook

    present(make_codebook(options), options.outputs)
