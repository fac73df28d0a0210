"""Bringing the description of a survey up to date with a file that has new columns, or lacks old ones."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass

from semscale.survey.description import Question, Survey


@dataclass(frozen=True)
class UpdatedSurvey:
    """A description that names exactly the columns of a file.

    Attributes:
        survey: the description.
        added: columns of new entries.
        gone: columns that the file lacks, and that the description no longer names.
    """

    survey: Survey
    added: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()


def update_survey(known: Survey, inferred: Survey) -> UpdatedSurvey:
    """Bring a description up to date with a file.

    Args:
        known: the description; its entries stay, without columns that the file lacks.
        inferred: the file's description as Semscale infers it, which names all columns of the file; its
            entries for new columns are added after the known ones.
    """
    present = set(inferred.columns)
    kept = [reduced for question in known.questions if (reduced := _only(question, present)) is not None]
    described = {column for question in kept for column in question.all_columns}
    names = {question.name for question in kept}
    new = list(_new_questions(inferred, described, names))
    return UpdatedSurvey(
        Survey(
            file=known.file or inferred.file,
            export=known.export or inferred.export,
            reading=known.reading,
            derive=known.derive,
            where=known.where,
            leave_out={column: values for column, values in known.leave_out.items() if column in present},
            questions=(*kept, *new),
        ),
        added=tuple(column for question in new for column in question.all_columns),
        gone=tuple(column for column in known.columns if column not in present),
    )


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
