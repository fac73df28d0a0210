"""Which of a model's classes is entailment, which is contradiction, and which is neither."""

from collections.abc import Sequence

from semscale.errors import InputError, ModelError
from semscale.matching.entailment.probabilities import RELATIONS

_EXPECTED = ", ".join(RELATIONS)


def checked_labels(stated: Sequence[str]) -> tuple[str, ...]:
    """Check an order of labels that a user states.

    Args:
        stated: the names of ``RELATIONS``, in the order of the model's classes; capitals do not matter.

    Raises:
        InputError: not each of them once.

    Example:
        >>> checked_labels(["Contradiction", " neutral", "entailment"])
        ('contradiction', 'neutral', 'entailment')
    """
    listed = isinstance(stated, Sequence) and not isinstance(stated, str)
    names = tuple(str(name).strip().lower() for name in stated) if listed else ()
    if sorted(names) != sorted(RELATIONS):
        raise InputError(
            f"nli_labels must list {_EXPECTED} in the order of the model's classes, got {stated!r:.80}",
            in_shell=f"--nli-labels must be {','.join(RELATIONS)} in the order of the model's classes, "
            f"got {','.join(stated) if listed else stated}",
        )
    return names


def label_columns(labels: Sequence[str], stated: Sequence[str] | None, model: str) -> list[int]:
    """Find the class of each relation.

    Args:
        labels: names of the model's classes, as its ``config.json`` has them.
        stated: as ``checked_labels`` takes them; ``None`` to go by the model's own names.
        model: its name, for messages.

    Returns:
        The numbers of the classes of entailment, neutrality and contradiction.

    Raises:
        InputError: the stated order is none, or another one than that of the model.
        ModelError: the model has more or fewer than three classes, or names that say nothing, and no order is
            stated.

    Example:
        >>> label_columns(["CONTRADICTION", "ENTAILMENT", "NEUTRAL"], None, "a model")
        [1, 2, 0]
    """
    own = tuple(label.strip().lower() for label in labels)
    shown = ", ".join(labels)
    if len(own) != len(RELATIONS):
        raise ModelError(
            f"{model} has {len(own)} classes ({shown}): give a model of entailment with three: {_EXPECTED}"
        )
    says = sorted(own) == sorted(RELATIONS)
    if stated is not None:
        names = checked_labels(stated)
        if says and names != own:
            said = f"are {', '.join(names)}, but {model} names its classes {shown}: leave them out"
            raise InputError(f"nli_labels {said}", in_shell=f"--nli-labels {said}")
        return [names.index(relation) for relation in RELATIONS]
    if not says:
        problem = (
            f"{model} does not say what its classes mean ({shown}): state their order, as its page has it"
        )
        raise ModelError(
            f"{problem}, such as nli_labels=('entailment', 'neutral', 'contradiction')",
            in_shell=f"{problem}, such as --nli-labels entailment,neutral,contradiction",
        )
    return [own.index(relation) for relation in RELATIONS]
