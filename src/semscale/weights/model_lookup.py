"""What is known of the model that a signature names."""

from semscale.signature import Signature
from semscale.weights.known import KNOWN, KnownModel, find_known
from semscale.weights.profiles import ModelProfile, hub_profile


def model_name(signature: Signature) -> str:
    """Give the name of the model that a signature names, without the hash of its weights; empty if none."""
    return _name_and_hash(signature)[0]


def known_model(signature: Signature) -> KnownModel | None:
    """Find the known model that a signature names.

    Args:
        signature: names the model by its short name with the hash of its weights, or as the hub does. The hub
            may have the model in another form, such as float32 beside 4 bits: it is the same model.

    Returns:
        ``None`` for another model, and for other weights under a known short name.

    Example:
        >>> known_model(Signature.of("embed", model="intfloat/multilingual-e5-small#0123")).name
        'e5-small'
        >>> known_model(Signature.of("embed", model="e5-small#0123")) is None
        True
    """
    name, digest = _name_and_hash(signature)
    on_hub = name.partition("@")[0]
    found = next((model for model in KNOWN.values() if model.hub_id == on_hub), None)
    if found is not None:
        return found
    model = find_known(name)
    known = model is not None and digest and model.sums[model.weights].startswith(digest)
    return model if known else None


def profile_of(signature: Signature) -> ModelProfile:
    """Find the profile of the model that a signature names; the usual one if nothing is known of the model.

    Example:
        >>> profile_of(Signature.of("embed", model="intfloat/multilingual-e5-base#0123")).prefix
        'query: '
    """
    known = known_model(signature)
    return known.profile if known else hub_profile(model_name(signature)) or ModelProfile()


def languages_read(signature: Signature) -> frozenset[str]:
    """Give the languages that the model of a signature reads, by ISO 639-1 code; empty where unknown."""
    return profile_of(signature).languages


def _name_and_hash(signature: Signature) -> tuple[str, str]:
    fields = dict(signature.fields)
    name, _, digest = fields.get("model", fields.get("bert_model", "")).partition("#")
    return name, digest
