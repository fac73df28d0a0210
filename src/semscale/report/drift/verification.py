"""The document of a verification: whether a history is what was stored, and the hashes to note down."""

from collections.abc import Iterator

from semscale.history.verification import Verification
from semscale.report.document.blocks import Block, DataTable, Paragraph
from semscale.report.document.document import Decision, Document, Section
from semscale.report.document.values import Count, Level, Quoted, Words
from semscale.report.formatting import count, counted, one_line, printable

_MOST_ROWS = 200
_SHOWN = 20


def verification_document(found: Verification) -> Document:
    """Turn a verification into a document; its last line on the screen is the verdict."""
    level: Level = "pass" if found.holds else "fail"
    return Document(
        kind="verified history",
        name="History",
        title="Is the history what was stored?",
        source=(printable(found.where),),
        signature=None,
        lead=Decision("holds" if found.holds else "changed", level, "what the hashes say"),
        reading=(_verdict(found),),
        facts=(("Entries", Count(found.n_entries)), ("Sealed late", Count(found.n_late))),
        cautions=tuple(_cautions(found)),
        sections=tuple(_sections(found)),
        ending=(_verdict(found), level),
    )


def _verdict(found: Verification) -> str:
    if found.holds:
        return f"holds: {counted(found.n_entries, 'entry', 'entries')} as stored"
    n = len(found.flaws)
    said = f"changed: {counted(n, 'entry', 'entries')} {'does' if n == 1 else 'do'} not hold"
    return f"{said}, the first is {one_line(str(found.flaws[0]))}"


def _cautions(found: Verification) -> Iterator[str]:
    if found.n_late:
        yield (
            f"{counted(found.n_late, 'entry', 'entries')} came from an older Semscale, which kept no hashes: "
            "a change before the migration cannot be seen"
        )
    yield (
        "whoever may write the database can compute all hashes anew, or take away the last entries: note the "
        "last hashes where that person cannot write, and check them with --head"
    )


def _sections(found: Verification) -> Iterator[Section]:
    if found.flaws:
        rows = tuple(
            (
                Words(one_line(flaw.kind)),
                Quoted(flaw.id, 64),
                Quoted(flaw.dataset or "", 60),
                Words(flaw.why),
            )
            for flaw in found.flaws[:_MOST_ROWS]
        )
        left = len(found.flaws) - len(rows)
        note = f"{count(left)} more do not hold." if left else ""
        heads = ("kind", "id", "dataset", "why")
        table = DataTable(heads, rows, "What does not hold", note, most=_SHOWN, noun="entry")
        yield Section("flaws", "What does not hold", (table,))
    yield Section("heads", "Hashes to note down", tuple(_heads(found)))


def _heads(found: Verification) -> Iterator[Block]:
    yield Paragraph(
        "The last hash of a dataset stands for everything that was stored before it. After a merge there "
        "are several, until the next entry names them all.",
        "note",
    )
    rows = tuple((Quoted(name, 60), Words(head)) for name, hashes in found.heads.items() for head in hashes)
    yield DataTable(("dataset", "hash"), rows, brief_title="Hashes to note down")
