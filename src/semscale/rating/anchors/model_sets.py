"""The anchor sets that serve the model in use."""

from typing import TYPE_CHECKING

from semscale.scales import Scale
from semscale.weights.known import DEFAULT_RATING_MODEL
from semscale.weights.model_lookup import known_model, model_name

if TYPE_CHECKING:
    from semscale.embedding.embedder import Embedder


def scale_for_model(scale: Scale, embedder: "Embedder") -> Scale:
    """Return the scale with the anchor sets that serve an embedder's model.

    Args:
        scale: it may say in ``sets_by_model`` which sets serve which model.
        embedder: its signature names the model. A known model is found under its name on the hub, too.

    Returns:
        The scale with the sets that serve the model, in the order in which they are listed. A model that the
        scale does not name has those of the default model of ratings, as sets of several models share
        sentences, which would count twice; where that is not named either, all sets.
    """
    known = known_model(embedder.signature)
    names = ([known.name] if known else []) + [model_name(embedder.signature), DEFAULT_RATING_MODEL]
    return scale.for_model(next((name for name in names if name in scale.sets_by_model), names[-1]))
