"""Cells with answers that were made up."""

from semscale.drift.asking import Answer, Answers, ItemToAsk
from semscale.drift.matrix.cells import AskedCell, CellAnswers
from semscale.history.items import Output
from semscale.signature import Signature

REFUSED = Answer(reason="the filter refused", is_silent=True)


class NamedChat:
    """A chat model of which only the name matters."""

    def __init__(self, name):
        self.name, self.signature = name, Signature.of("chat")

    async def complete(self, request):
        raise AssertionError(f"{self.name} is made up and was asked {request}")


def items_to_ask(n, **fields):
    return [ItemToAsk(str(place), f"What is {place}?", **fields) for place in range(n)]


def answer(text, **fields):
    """Make an answer: a text, an answer that is made already, or ``None`` where the call failed."""
    if isinstance(text, Answer):
        return text
    return Answer(reason="failed") if text is None else Answer((Output(text, fields),))


def cell(name, *askings):
    """A cell with a list of texts for each asking; down without any."""
    made = AskedCell(name, NamedChat(name))
    if not askings:
        return CellAnswers(made, None, "no such model")
    return CellAnswers(made, Answers(tuple(tuple(map(answer, texts)) for texts in askings)))
