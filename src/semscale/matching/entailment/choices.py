"""The model of entailment that a user chose: loaded by its name, or taken as it is."""

from collections.abc import Sequence
from pathlib import Path

from semscale.errors import InputError
from semscale.matching.entailment.nli_model import load_nli
from semscale.matching.entailment.probabilities import EntailmentModel
from semscale.types import Progress
from semscale.weights.known import ENGLISH_NLI


def chosen_model(
    nli: str | Path | EntailmentModel | None,
    labels: Sequence[str] | None = None,
    *,
    precision: str = "exact",
    cache: bool | Path = True,
    progress: Progress | None = None,
) -> EntailmentModel:
    """Load a model of entailment that is named, or take one as it is.

    Args:
        nli: a folder, ``organisation/model`` on the Hugging Face hub, or a model of entailment.
        labels: as ``load_nli`` takes them, for a model that is named; precision, cache and progress, too.
        precision: ``exact`` or ``fast``.
        cache: whether probabilities are cached on disk, or the folder of the cache.
        progress: called while weights are pulled.

    Raises:
        InputError: no model, something else than a model, or settings for a model that is loaded already.
        ModelError: the model's files cannot be had or run, or it is no model of entailment.
    """
    if nli is None:
        named = f"such as {ENGLISH_NLI.hub_id}, or the folder of one: there is no default"
        raise InputError(
            f"nli must name a model of entailment for method 'entailment', {named}",
            in_shell=f"--nli must name a model of entailment for --method entailment, {named}",
        )
    if isinstance(nli, str | Path):
        return load_nli(nli, precision=precision, labels=labels, cache=cache, progress=progress)
    if not isinstance(nli, EntailmentModel):
        raise InputError(f"nli must be a name, a folder or a model of entailment, got {nli!r:.60}")
    if precision != "exact" or labels is not None:
        raise InputError(
            "precision and nli_labels need the name of a model, got a model: give load_nli these settings"
        )
    return nli
