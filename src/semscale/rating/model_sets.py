"""The anchor sets of a scale that serve the model in use."""

from typing import TYPE_CHECKING

from semscale.scales import Scale
from semscale.weights.known import find_known

if TYPE_CHECKING:
    from semscale.embedding.embedder import Embedder


def scale_for_model(scale: Scale, embedder: "Embedder") -> Scale:
    """Return the scale with the anchor sets that serve an embedder's model.

    Args:
        scale: it may say in ``sets_by_model`` which sets serve which model.
        embedder: its signature names the model. A known model is found under its name on the hub, too.

    Returns:
        The scale with the sets that serve the model, in the order in which they are listed, and with all
        its sets where it does not name the model.
    """
    model = dict(embedder.signature.fields).get("model", "").partition("#")[0]
    known = find_known(model)
    return scale.for_model(known.name if known else model)
