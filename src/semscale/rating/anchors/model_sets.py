"""What is known of the model in use: the anchor sets that serve it, and its profile."""

from typing import TYPE_CHECKING

from semscale.scales import Scale
from semscale.weights.known import KNOWN
from semscale.weights.profiles import ModelProfile, hub_profile

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
    named = _model_name(embedder)
    known = (name for name, model in KNOWN.items() if named == model.hub_id)
    return scale.for_model(next(known, named))


def profile_of(embedder: "Embedder") -> ModelProfile:
    """Find the profile of an embedder's model; the usual one if nothing is known of the model."""
    name = _model_name(embedder)
    return KNOWN[name].profile if name in KNOWN else hub_profile(name) or ModelProfile()


def _model_name(embedder: "Embedder") -> str:
    """The model's name in the embedder's signature, where it stands before the hash of the weights."""
    return dict(embedder.signature.fields).get("model", "").partition("#")[0]
