"""The commands ``semscale code``, ``code label`` and ``code suggest``: open answers coded by a codebook."""

from time import monotonic

from semscale.cli.interrupts import said_if_stopped
from semscale.cli.options.coding import CodeLabelOptions, CodeOptions, CodeSuggestOptions
from semscale.cli.options.groups import grouped

_LEDGER = "stopped; replies that came, if any, stay in the ledger, and the same command goes on from there"
_PARTS = "stopped; parts that were finished, if any, are kept, and the same command goes on after them"
_NOTHING = "stopped; nothing was written, and the same command starts again"


@grouped
def code(options: CodeOptions) -> None:
    """Code open answers by a codebook: more than one code per answer, each with its probability.

    [bold]semscale code answers.csv --text comment --codebook codes.yaml --labels human --out coded.csv[/bold]

    Codes are assigned by their examples and definitions. Answers that people coded, in the column --labels,
    turn scores into probabilities and correct the shares; without them nothing is calibrated. [bold]semscale
    code label[/bold] draws answers to code, [bold]semscale code suggest[/bold] proposes a codebook.

    A stopped run with --chat-model resumes and never repeats a paid call; --dry-run sends nothing.
    """
    from semscale.cli.outputs import present
    from semscale.cli.runs.code import code_table
    from semscale.cli.runs.code_forecast import forecast_codes

    if options.calls.dry_run:
        present(forecast_codes(options), options.outputs.of_forecast)
        return
    beside = _NOTHING if options.outputs.out is None else _PARTS
    with said_if_stopped(beside if options.chat.chat_model is None else _LEDGER):
        began = monotonic()
        present(code_table(options), options.outputs, seconds=monotonic() - began)


@grouped
def code_label(options: CodeLabelOptions) -> None:
    """Draw answers for people to code, those more often whose codes are least sure.

    [bold]semscale code label answers.csv --text comment --codebook codes.yaml --out labels.csv[/bold]

    The table has the drawn answers first, with an empty column for codes and the probability of each draw;
    instructions are in a file beside it.
    """
    from semscale.cli.runs.code_label import draw_for_codes

    with said_if_stopped(_NOTHING):
        draw_for_codes(options)


@grouped
def code_suggest(options: CodeSuggestOptions) -> None:
    """Propose a codebook from clusters of the answers, and report which of them are stable.

    [bold]semscale code suggest answers.csv --text comment --codebook codes.yaml[/bold]

    Codes are named by their most typical words, or by a model with --chat-model. Read and correct the file
    before [bold]semscale code[/bold] uses it.
    """
    from semscale.cli.outputs import present
    from semscale.cli.runs.code_suggest import suggest_codes

    with said_if_stopped(_NOTHING if options.chat.chat_model is None else _LEDGER):
        present(suggest_codes(options), options.outputs)
