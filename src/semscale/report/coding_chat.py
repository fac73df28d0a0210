"""Section of a coding report on a chat model: its cost, what it changed, and answers without its codes."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from semscale.chat.budget import amount
from semscale.report.document import DataTable, Paragraph, Quoted, Section, Share, estimate_cell
from semscale.report.formatting import count, count_of, join_list, one_line
from semscale.report.parts import Column, Columns, section, table_of
from semscale.types import Status

if TYPE_CHECKING:
    from semscale.coding.chat_codes import ChatCodes, LostReply
    from semscale.coding.summary import CodeChange, CodingSummary

_NAME = 60
_MAX_REPLY = 200
_LOST = {
    str(Status.REFUSED): "refused",
    str(Status.UNPARSABLE): "with a reply that cannot be read",
    str(Status.FAILED): "without a reply",
}
_FORMS = {
    "decisions": "typed decisions about each sentence and code, one call for each answer",
    "own": "decisions about each sentence and code",
    "next-token": "the probability of the next token, two calls for each sentence and code",
    "prose": "a list of the codes of each sentence, one call for each answer, without probabilities",
}
_CHANGES = (
    "Gained: answers that have the code with the chat model and not without it. Lost: answers that have it "
    "only without the chat model. A code that is unsure is not counted as one that an answer has."
)


def chat_section(summary: "CodingSummary") -> Section | None:
    """Build the section on what a chat model cost and changed; ``None`` if none was asked."""
    asked, agreement = summary.asked, summary.agreement
    if asked is None:
        return None
    positions = {name: position for position, name in enumerate(summary.codebook.names)}
    alphas: list[Column[CodeChange]] = []
    if agreement.people_alone:
        alphas = [
            ("alpha with people", lambda change: estimate_cell(agreement.people[positions[change.code]])),
            (
                "without the chat model",
                lambda change: estimate_cell(agreement.people_alone[positions[change.code]]),
            ),
        ]
    columns: Columns[CodeChange] = (
        ("code", lambda change: Quoted(change.code, _NAME)),
        ("answers gained", lambda change: change.n_gained),
        ("answers lost", lambda change: change.n_lost),
        *alphas,
    )
    return section(
        "chat",
        ("Codes by “", Quoted(asked.model), "”"),
        Paragraph(cost_sentence(asked), "note", detail="both"),
        table_of(summary.changes, columns, noun="code", brief_title="What the chat model changed"),
        _CHANGES,
    )


def cost_sentence(asked: "ChatCodes") -> str:
    """State how the model was asked, and what this run cost."""
    spent = asked.spent
    asked_about = f"{one_line(asked.model)} was asked about {count_of(asked.n_asked, 'answer')}"
    sentence = f"{asked_about} for {_FORMS.get(asked.form, asked.form)}."
    if not spent.calls:
        return f"{sentence} All replies were stored by earlier runs, so this run cost nothing."
    usage = spent.usage
    cost = f"{count_of(spent.calls, 'call')} with {count_of(usage.prompt_tokens, 'token')} of prompts and "
    cost += f"{count_of(usage.completion_tokens, 'token')} of replies"
    if spent.money is None:
        money = "; the model’s price is not known"
    else:
        money = f", {amount(spent.money)} {asked.currency}"
    return f"{sentence} This run cost {cost}{money}."


def reply_table(asked: "ChatCodes") -> DataTable:
    """State the number of answers without codes from a chat model, with an example of each kind."""
    columns: Columns[LostReply] = (
        ("", lambda lost: str(lost.status)),
        ("answers", lambda lost: asked.counts[str(lost.status)]),
        ("share", lambda lost: Share(asked.counts[str(lost.status)] / asked.n_asked)),
        ("such as row", lambda lost: lost.row),
        ("the model’s reply", lambda lost: Quoted(lost.reply, _MAX_REPLY) if lost.reply else "none"),
        ("why", lambda lost: Quoted(lost.reason, _MAX_REPLY)),
    )
    title = f"No codes from {one_line(asked.model)}"
    return table_of(asked.lost, columns, noun="status", brief_title=title)


def reply_cautions(asked: "ChatCodes") -> Iterator[str]:
    """State the number of answers for which a chat model gave no probability for some code."""
    lost = {name: n for name, n in asked.counts.items() if name != str(Status.SCORED)}
    if not lost:
        return
    kinds = join_list([f"{count(n)} {_LOST.get(name, name)}" for name, n in lost.items()])
    partly = f", {count(asked.n_partly)} of them for some codes only" if asked.n_partly else ""
    yield (
        f"{one_line(asked.model)} gave no probability for every code of {count(sum(lost.values()))} of "
        f"{count_of(asked.n_asked, 'answer')} ({kinds}){partly}: codes without one depend on similarity "
        "alone."
    )
