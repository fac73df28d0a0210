"""The anchor sets of a dataset, as a history keeps them."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from semscale.drift.ruler.checking import last_series
from semscale.drift.ruler.label_errors import LabelError, label_array, label_error, mean_readings
from semscale.drift.ruler.text_ruler import FINDINGS
from semscale.errors import InputError
from semscale.history.anchor_sets import AnchorReadings, AnchorSet
from semscale.presentable import Presentable

if TYPE_CHECKING:
    from semscale.history.history import History


@dataclass(frozen=True)
class RulerReference:
    """The reference of one ruler on an anchor set.

    Attributes:
        reference: its readings, more than one of a ruler with noise.
        n_runs: number of runs that were held against it.
        errors: distance of its readings from people's labels, where there are any.
    """

    reference: tuple[AnchorReadings, ...]
    n_runs: int
    errors: tuple[LabelError, ...]


@dataclass(frozen=True)
class KeptAnchors:
    """An anchor set with the references of its rulers.

    Attributes:
        anchors: the set.
        rulers: one for each ruler that read it, the latest last.
    """

    anchors: AnchorSet
    rulers: tuple[RulerReference, ...]

    @property
    def n_labels(self) -> int:
        """Number of pairs with a person's score."""
        return sum(label is not None for label in self.anchors.labels)


@dataclass(frozen=True, repr=False)
class AnchorsSummary(Presentable):
    """The anchor sets of a dataset; comparisons read the last one.

    Attributes:
        where: the history that keeps them.
        dataset: the dataset.
        sets: at least one, the latest last.
    """

    where: str
    dataset: str
    sets: tuple[KeptAnchors, ...]

    def __repr__(self) -> str:
        return f"AnchorsSummary(dataset={self.dataset!r}, sets={len(self.sets)})"

    def record(self) -> dict[str, Any]:
        """Lay everything out by name, for JSON."""
        return {
            "instrument": "drift anchors",
            "history": self.where,
            "dataset": self.dataset,
            "sets": [_set_record(one) for one in self.sets],
        }


def summarize_anchors(history: "History", dataset: str) -> AnchorsSummary:
    """Sum up the anchor sets of a dataset.

    Raises:
        InputError: it has none.
    """
    sets = history.anchors.sets(dataset)
    if not sets:
        raise InputError(
            f"dataset {dataset[:60]!r} has no anchors: freeze some with semscale drift anchors FILE"
        )
    kept = tuple(KeptAnchors(one, tuple(_references(one, history.anchors.readings(one.id)))) for one in sets)
    return AnchorsSummary(history.where, dataset, kept)


def _references(anchors: AnchorSet, readings: list[AnchorReadings]) -> Iterator[RulerReference]:
    labels = label_array(anchors)
    for signature in dict.fromkeys(one.signature for one in readings):
        reference, runs = last_series([one for one in readings if one.signature == signature])
        means = mean_readings(reference) if reference else {}
        errors = (
            ()
            if labels is None
            else tuple(
                label_error(name, values, labels) for name, values in means.items() if name not in FINDINGS
            )
        )
        yield RulerReference(tuple(reference), len(runs), errors)


def _set_record(one: KeptAnchors) -> dict[str, Any]:
    anchors = one.anchors
    return {
        "name": anchors.name,
        "id": anchors.id,
        "hash": anchors.digest,
        "frozen": anchors.frozen,
        "pairs": len(anchors.pairs),
        "labels": one.n_labels,
        "rulers": [
            {
                "signature": ruler.reference[0].signature,
                "read": ruler.reference[0].measured,
                "repeats": len(ruler.reference),
                "runs": ruler.n_runs,
                "errors": [asdict(error) for error in ruler.errors],
            }
            for ruler in one.rulers
            if ruler.reference
        ],
    }
