"""BERTScore's model, layer and baseline: those that the caller chose, or else those known for the model."""

from pathlib import Path
from typing import TYPE_CHECKING

from semscale.embedding.loading import load_token_encoder
from semscale.embedding.tokens.state_engine import state_engine
from semscale.embedding.torch_engine.device import AUTO
from semscale.errors import InputError
from semscale.matching.bertscore.baselines import Baseline, BertModel, bert_models, find_bert_model
from semscale.types import Progress
from semscale.weights.model_lookup import known_model

if TYPE_CHECKING:
    from semscale.embedding import Embedder
    from semscale.embedding.tokens.token_states import TokenEncoder

_CALIBRATE = "semscale bertscore calibrate {name} --corpus FILE --out FILE"


def token_encoder(
    embedder: "str | Path | Embedder | TokenEncoder",
    precision: str,
    progress: Progress | None,
    *,
    engine: str = "openvino",
    device: str = AUTO,
) -> "TokenEncoder":
    """Load the model whose states are compared.

    Args:
        embedder: a name, a folder, an embedder that shows the states of tokens, or an encoder that
            ``load_token_encoder`` gave.
        precision: of a model that is loaded here.
        progress: called while weights are pulled.
        engine: that loads it.
        device: where the engine ``torch`` computes.

    Raises:
        InputError: an embedder that shows no states, or a model that cannot be run here.
        ModelError: the model's files cannot be had or run.
    """
    from semscale.embedding.tokens.token_states import TokenEncoder

    if isinstance(embedder, TokenEncoder):
        return embedder
    if not isinstance(embedder, str | Path):
        return TokenEncoder(state_engine(embedder))
    known = find_bert_model(embedder) if isinstance(embedder, str) else None
    if known is not None and not known.runs and engine == "openvino":
        runnable = ", ".join(name for name, each in bert_models().items() if each.runs)
        said = f"model {known.name} has an architecture that cannot be run here; try {runnable}, or give"
        raise InputError(
            f"{said} embedder=load_embedder({known.name!r}, engine='torch')",
            in_shell=f"{said} --engine torch",
        )
    name = known.hub if known and not Path(embedder).is_dir() else embedder
    return load_token_encoder(name, precision=precision, engine=engine, device=device, progress=progress)


def chosen_layer(layer: int | None, encoder: "TokenEncoder", baseline: Baseline | None) -> int:
    """Choose the layer that is compared: the given one, else the calibrated one, else the published one.

    Raises:
        InputError: the model has no such layer, or none is known for it.
    """
    known = _known(encoder)
    if layer is None and baseline is not None:
        layer = baseline.best_layer
    if layer is None and known is not None:
        layer = known.layer
    if layer is None:
        raise InputError(
            f"layer must be given for {encoder.name}, 0 to {encoder.layers}, as none is known to be good; "
            f"to find it: {_CALIBRATE.format(name=encoder.name)} --prediction COL --reference COL --human COL"
        )
    encoder.check_layer(layer)
    return int(layer)


def chosen_baseline(given: Baseline | None, encoder: "TokenEncoder", layer: int) -> Baseline:
    """Choose the baseline for rescaling: the given one, else the one known for the model.

    Raises:
        InputError: there is none, it belongs to another model, or it lacks the layer.
    """
    known = _known(encoder)
    if given is not None:
        ours = _identity(encoder)
        if given.model is not None and given.model != ours:
            raise InputError(f"rescale: {given.origin} is the baseline of {given.model}, not of {ours}")
        found = given
    elif known is not None and known.baseline is not None:
        found = Baseline(known.baseline, known.name.replace(":", "_"))
    else:
        raise InputError(
            f"rescale=True needs a baseline, and none is known for {encoder.name}; make one with "
            f"{_CALIBRATE.format(name=encoder.name)} and give rescale that file"
        )
    found.at(layer)
    return found


def _known(encoder: "TokenEncoder") -> BertModel | None:
    """Find what is known of a model, under its short name with the pinned weights or its name on the hub."""
    pinned = known_model(encoder.signature)
    if pinned is not None:
        return bert_models().get(pinned.name)
    known = find_bert_model(encoder.name)
    is_published = known is not None and known.weights is None and known.hub == encoder.name
    return known if is_published else None


def _identity(encoder: "TokenEncoder") -> str:
    return dict(encoder.signature.fields)["model"]
