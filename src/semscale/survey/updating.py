"""Bringing the description of a survey up to date with a file that has new columns, or lacks old ones."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from semscale.survey.description import Question, Survey


@dataclass(frozen=True)
class UpdatedSurvey:
    """A description that was brought up to date with a file.

    Attributes:
        survey: the description.
        added: columns of new entries.
        gone: columns that the file lacks, and that the description no longer names.
        unplaced: questions that name columns which the file lacks, as a renamed question does, and stay as
            they are; with the columns that are likely theirs, if these are known.
    """

    survey: Survey
    added: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()
    unplaced: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def notes(self) -> Iterator[str]:
        """Yield sentences on columns that were added or left out."""
        if self.gone:
            yield f"described columns that the table lacks: {', '.join(self.gone)}"
        if self.added:
            yield f"columns that were not described yet: {', '.join(self.added)}"

    def remedies(self, file: str) -> dict[str, str]:
        """Say what to add to entries that name columns which the file lacks, by the question's name.

        Args:
            file: name of the file.
        """
        return {name: _remedy(columns, file) for name, columns in self.unplaced.items()}


def _remedy(columns: Sequence[str], file: str) -> str:
    start = f"{file} lacks a column that its entry names"
    if not columns:
        return f"{start}: add ‘columns:’ with its column, or delete the entry"
    listed = ", ".join(columns)
    value = listed if len(columns) == 1 else f"[{listed}]"
    return f"{start}: if it is {listed}, add ‘columns: {value}’"


def update_survey(known: Survey, inferred: Survey) -> UpdatedSurvey:
    """Bring a description up to date with a file.

    An entry of the same file that names no column of it stays as it is, if the user states it, or if a column
    is likely that of the renamed question; such a column gets no entry of its own.

    Args:
        known: the description; its entries stay, without columns that the file lacks.
        inferred: the file's description as Semscale infers it, which names all columns of the file; its
            entries for new columns are added after the known ones.
    """
    present = set(inferred.columns)
    is_same = known.file in {"", inferred.file}
    kept: list[Question] = []
    unplaced: dict[str, tuple[str, ...]] = {}
    for question in known.questions:
        columns = _columns_of_renamed(question, known, inferred) if is_same else ()
        is_stated = is_same and question.source == "user"
        if not present.issuperset(question.all_columns) and (columns or is_stated):
            unplaced[question.name] = columns
            kept.append(question)
        elif (reduced := _only(question, present)) is not None:
            kept.append(reduced)
    described = {column for question in kept for column in question.all_columns}
    new = list(
        _new_questions(inferred, described.union(*unplaced.values()), {question.name for question in kept})
    )
    placed = present | described
    return UpdatedSurvey(
        known.with_fields(
            file=known.file or inferred.file,
            export=known.export or inferred.export,
            questions=(*kept, *new),
        ),
        added=tuple(column for question in new for column in question.all_columns),
        gone=tuple(column for column in known.columns if column not in placed),
        unplaced=unplaced,
    )


def _columns_of_renamed(question: Question, known: Survey, inferred: Survey) -> tuple[str, ...]:
    """Return the columns that are likely those of a renamed question; none if several questions fit.

    They are those of the only question that has its wording, else its answers, else its kind and its place
    between the questions before and after it; and that nobody describes.
    """
    if not set(question.all_columns).isdisjoint(inferred.columns):
        return ()
    free = [entry for entry in inferred.questions if not set(entry.all_columns) & set(known.columns)]
    names = [value.value for value in question.values]

    def is_alike(entry: Question) -> bool:
        return question.source == "user" or entry.kind == question.kind

    fitting = (
        [entry for entry in free if question.text and entry.text == question.text],
        [entry for entry in free if names and [value.value for value in entry.values] == names],
        [entry for entry in _neighbours(question, known, inferred) if entry in free and is_alike(entry)],
    )
    matches = next((entries for entries in fitting if len(entries) == 1), [])
    return matches[0].all_columns if matches else ()


def _neighbours(question: Question, known: Survey, inferred: Survey) -> Sequence[Question]:
    """Return the inferred questions between those of the entries before and after a question."""
    place = known.questions.index(question)
    owners = [inferred.of_column(entry.all_columns[0]) for entry in known.questions]
    before = [owner for owner in owners[:place] if owner is not None]
    after = [owner for owner in owners[place + 1 :] if owner is not None]
    first = inferred.questions.index(before[-1]) + 1 if before else 0
    last = inferred.questions.index(after[0]) if after else len(inferred.questions)
    return inferred.questions[first:last]


def _new_questions(inferred: Survey, described: Collection[str], names: set[str]) -> Iterator[Question]:
    """Yield entries for the columns that are not described, under names that are free."""
    for question in inferred.questions:
        new = [column for column in question.all_columns if column not in described]
        reduced = _only(question, set(new))
        if reduced is None:
            continue
        changes: dict[str, object] = {}
        if len(new) < len(question.all_columns):
            changes = {
                "reason": f"its other columns are described already: join it to their question, or keep it "
                f"({question.reason})",
                "confidence": "low",
            }
        name = _free_name(question.name if not changes else new[0], names)
        names.add(name)
        if name != question.name or changes:
            columns = () if reduced.has_option_columns else reduced.all_columns
            reduced = reduced.model_copy(update={**changes, "name": name, "columns": columns})
        yield reduced


def _free_name(name: str, names: Collection[str]) -> str:
    number = 2
    free = name
    while free in names:
        free, number = f"{name}_{number}", number + 1
    return free


def _only(question: Question, columns: Collection[str]) -> Question | None:
    """Return a question with only some of its columns; ``None`` if none is left."""
    left = tuple(column for column in question.all_columns if column in columns)
    if not left:
        return None
    if len(left) == len(question.all_columns):
        return question
    options = tuple(
        option for option in question.options if option.column is None or option.column in columns
    )
    labels = {option.label for option in options} | {value.name for value in question.values}
    nets = {
        net: kept
        for net, members in question.nets.items()
        if (kept := tuple(member for member in members if member in labels))
    }
    named = tuple(column for column in question.columns if column in columns)
    return question.model_copy(update={"columns": named, "options": options, "nets": nets})
