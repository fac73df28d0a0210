"""Loading of embedding models by name."""

from collections.abc import Callable
from functools import partial
from importlib.metadata import entry_points
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict, Unpack, cast

from semscale.embedding.embedder import AUTO, ApiEmbedder, Embedder
from semscale.endpoints import KEY_VARIABLE
from semscale.errors import InputError, UnknownNameError
from semscale.messages import did_you_mean
from semscale.types import Progress

if TYPE_CHECKING:
    from semscale.embedding.token_states import TokenEncoder


class LoadingSettings(TypedDict, total=False):
    """Settings of ``load_embedder`` in addition to the model's name."""

    precision: str
    engine: str
    device: str
    base_url: str | None
    key_variable: str | None
    cache: bool | Path
    progress: Progress | None


def load_embedder(
    name: str | Path,
    *,
    precision: str = "exact",
    engine: str = "openvino",
    device: str = AUTO,
    base_url: str | None = None,
    key_variable: str | None = KEY_VARIABLE,
    cache: bool | Path = True,
    progress: Progress | None = None,
) -> Embedder:
    """Load an embedding model; the first use downloads its weights.

    Args:
        name: a known model, a folder, ``organisation/model`` on the Hugging Face hub, or an API's model name.
        precision: for ``openvino``: ``exact`` (float32), ``fast`` (bfloat16 if the processor supports it) or
            ``turbo`` (8-bit integers besides, if it supports them; only for e5-small). For ``torch``:
            ``exact`` or ``fast`` (bfloat16, or float16 on GPUs without it).
        engine: ``openvino``, ``torch`` (sentence-transformers; needs ``semscale[torch]``), ``api``
            (OpenAI-compatible endpoint; needs ``semscale[api]``), or an engine that another package offers in
            the entry-point group ``semscale``.
        device: for ``torch``: ``cpu``, ``cuda``, ``cuda:N`` (the GPU with this number, from 0), ``mps``, or
            ``auto`` for a GPU if there is one.
        base_url: address of the endpoint, for ``api``; by default ``OPENAI_BASE_URL``, or else OpenAI's.
        key_variable: environment variable with the endpoint's key, for ``api``; ``None`` sends no key.
        cache: whether vectors are cached on disk, or the folder of the cache.
        progress: called while weights are downloaded.

    Returns:
        An embedder; it reads and compiles its model when a text is not in the cache.

    Raises:
        InputError: the engine or precision is unknown, the model does not allow the precision, or the device
            does not exist.
        ModelError: the model's files cannot be downloaded, or do not match their hashes.
        MissingExtraError: the engine's extra is not installed.
    """
    embedder = _engine(engine, device, key_variable)(str(name), precision, base_url, progress)
    if cache is False:
        return embedder
    from semscale.embedding.cache import CachedEmbedder, EmbeddingCache

    return CachedEmbedder(embedder, EmbeddingCache(None if cache is True else Path(cache)))


def validate_embedder(embedder: object) -> "str | Path | Embedder":
    """Check that an object is the name of a model or an embedder.

    Raises:
        InputError: it is neither.
    """
    if isinstance(embedder, str | Path) or callable(getattr(embedder, "embed", None)):
        return cast("str | Path | Embedder", embedder)
    raise InputError(
        "embedder", f"must be a name, a folder or what load_embedder gives, got {embedder!r:.60}"
    )


def as_embedder(embedder: "str | Path | Embedder", **settings: Unpack[LoadingSettings]) -> Embedder:
    """Load a model by its name, or return an embedder as it is.

    Args:
        embedder: a known model, a folder, ``organisation/model`` on the Hugging Face hub, or an embedder.
        settings: settings of ``load_embedder``, for the name of a model.

    Raises:
        InputError: it is neither a name nor an embedder, or a precision is set for an existing embedder.
        ModelError: the model's files cannot be downloaded.
    """
    model = validate_embedder(embedder)
    if isinstance(model, str | Path):
        return load_embedder(model, **settings)
    if settings.get("precision", "exact") != "exact":
        raise InputError(
            f"precision={settings['precision']!r} needs the name of a model, got an embedder: "
            "give load_embedder the precision"
        )
    return model


def load_token_encoder(
    name: str | Path,
    *,
    precision: str = "exact",
    engine: str = "openvino",
    device: str = AUTO,
    progress: Progress | None = None,
) -> "TokenEncoder":
    """Load a model that returns the hidden states of tokens; the first use downloads its weights.

    Args:
        name: a known model, a folder, or ``organisation/model`` on the Hugging Face hub.
        precision: ``exact`` (float32) or ``fast`` (bfloat16 if available); see ``load_embedder``.
        engine: ``openvino``, ``torch``, or another engine with embedders that return token states.
        device: for ``torch``; see ``load_embedder``.
        progress: called while weights are downloaded.

    Raises:
        InputError: the precision is unknown, or the engine returns no token states.
        ModelError: the model's files cannot be downloaded, or the engine cannot run the model.
    """
    from semscale.embedding.token_states import TokenEncoder, state_engine

    return TokenEncoder(state_engine(_engine(engine, device)(str(name), precision, None, progress)))


Build = Callable[[str, str, str | None, Progress | None], Embedder]


def _engine(engine: str, device: str, key_variable: str | None = KEY_VARIABLE) -> Build:
    if engine != "torch" and device != AUTO:
        raise InputError(f"`device={device!r}` belongs to `engine='torch'`, got `engine={engine!r}`")
    built_in: dict[str, Build] = {
        "openvino": _openvino,
        "torch": partial(_torch, device=device),
        "api": partial(_api, key_variable=key_variable),
    }
    if engine in built_in:
        return built_in[engine]
    points = entry_points(group="semscale")
    offered = {point.name: point for point in points if not point.name.startswith("chat.")}
    if engine in offered:
        build: Build = offered[engine].load()
        return build
    names = [*built_in, *offered]
    hint = did_you_mean(engine, names)
    raise UnknownNameError("engine", f"must be one of {', '.join(names)}, got {engine!r}{hint}")


def _openvino(name: str, precision: str, base_url: str | None, progress: Progress | None) -> Embedder:
    from semscale.embedding.openvino import OpenVinoEmbedder
    from semscale.weights.resolving import resolve

    _refuse_base_url(base_url, "openvino")
    files = resolve(name, progress=progress)
    return OpenVinoEmbedder(
        files.folder, name=files.name, sha256=files.sha256, precision=precision, profile=files.profile
    )


def _torch(
    name: str, precision: str, base_url: str | None, progress: Progress | None, *, device: str
) -> Embedder:
    from semscale.embedding.sentence_transformers import SentenceTransformerEmbedder

    _refuse_base_url(base_url, "torch")
    return SentenceTransformerEmbedder(name, precision=precision, device=device, progress=progress)


def _api(
    name: str, precision: str, base_url: str | None, progress: Progress | None, *, key_variable: str | None
) -> Embedder:
    _refuse_precision(precision, "api")
    return ApiEmbedder(name, base_url=base_url, key_variable=key_variable)


def _refuse_base_url(base_url: str | None, engine: str) -> None:
    if base_url is not None:
        raise InputError(
            "embedder:base_url", f"belongs to `engine='api'`, got {base_url!r} with `engine={engine!r}`"
        )


def _refuse_precision(precision: str, engine: str) -> None:
    if precision != "exact":
        raise InputError(
            f"`precision={precision!r}` belongs to `engine='openvino'` or 'torch', not to {engine!r}"
        )
