"""Chat models that run on this machine."""

import asyncio
import json
import math
import re
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

from semscale.chat.messages import (
    CallError,
    FailureKind,
    Parameters,
    Reply,
    Request,
    TokenLogprob,
    Usage,
    validate_reply,
)
from semscale.errors import ModelError
from semscale.extras import require, usage_reports_off
from semscale.signature import Signature
from semscale.types import Progress
from semscale.weights.folders import sha256_of
from semscale.weights.known import DEFAULT_CHAT_MODEL, find_known
from semscale.weights.resolving import resolve

if TYPE_CHECKING:
    from openvino_genai import ChatHistory, DecodedResults, GenerationConfig, LLMPipeline


GGUF = ".gguf"
_EXPORTED = "openvino_model.bin"


@dataclass(frozen=True)
class LocalModel:
    """A chat model with local files.

    Attributes:
        path: path of a GGUF file, or of a folder with a model exported for OpenVINO.
        name: the model's name in signatures and messages.
        sha256: hash of the weights, 64 hex digits.
        context: maximum number of tokens of prompt and reply together; ``None`` if unknown.
    """

    path: Path
    name: str
    sha256: str
    context: int | None = None


_CONTEXTS = {DEFAULT_CHAT_MODEL: 8192}


def find_local_model(name: str, *, progress: Progress | None = None) -> LocalModel:
    """Find a local chat model's files; a known model's files are pulled if they are missing.

    Args:
        name: a known chat model, ``local`` for the default one, the path of a GGUF file, or of a folder with
            a model exported for OpenVINO.
        progress: called while files are pulled.

    Raises:
        ModelError: there is no such model, it is not a chat model, or its files cannot be pulled.
    """
    known = find_known(DEFAULT_CHAT_MODEL if name == "local" else name)
    if known is not None:
        if not known.is_chat:
            raise ModelError(f"{known.name} is an embedding model; a chat model is {DEFAULT_CHAT_MODEL}")
        files = resolve(known.name, thorough=True, progress=progress)
        return LocalModel(files.folder / known.weights, files.name, files.sha256, _CONTEXTS.get(known.name))
    path = Path(name).expanduser()
    weights = path / _EXPORTED if path.is_dir() else path
    if not weights.is_file() or (path.is_file() and path.suffix != GGUF):
        raise ModelError(
            f"{name!r} is not a local chat model: use {DEFAULT_CHAT_MODEL}, the path of a {GGUF} file, or a "
            f"folder with {_EXPORTED}"
        )
    return LocalModel(path, re.sub(r"[|:\s]", "_", path.resolve().stem), sha256_of(weights))


_MILLISECONDS = 1000
UNLIMITED = 1024
"""Maximum number of tokens of a reply if the request sets none."""


class LocalChat:
    """A chat model on this machine's processor, which answers one request after the other.

    Without a temperature, or at 0, each token is the likeliest one, so the same request has the same reply.
    Above 0 the request's seed decides, or its sample number if it has no seed. Log-probabilities are returned
    only for requests of one token at temperature 0, as for decisions.

    Args:
        files: the model's files.

    Raises:
        MissingExtraError: openvino-genai is not installed.
    """

    def __init__(self, files: LocalModel) -> None:
        self.check_installed()
        self._files = files
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="semscale-local")

    @staticmethod
    def check_installed() -> None:
        """Check that the extra is installed, before weights are pulled.

        Raises:
            MissingExtraError: it is not installed.
        """
        require("local")

    @property
    def name(self) -> str:
        """The model's name."""
        return self._files.name

    @property
    def signature(self) -> Signature:
        """The model's name, the hash of its weights, and the engine."""
        version = self._genai.__version__.split("-")[0]
        return Signature.of(
            "chat", model=self.name, weights=self._files.sha256[:12], engine=f"openvino-genai-{version}"
        )

    async def complete(self, request: Request) -> Reply:
        """Answer one request; see :class:`~semscale.chat.chat_model.ChatModel`."""
        if any(message.n_images for message in request.messages):
            raise CallError(f"{self.name} reads no images", kind=FailureKind.UNSUPPORTED)
        is_cancelled = threading.Event()
        work = asyncio.get_running_loop().run_in_executor(self._thread, self._answer, request, is_cancelled)
        try:
            return await work
        except asyncio.CancelledError:
            is_cancelled.set()  # the engine checks it after each token
            raise

    @cached_property
    def _genai(self) -> ModuleType:
        with usage_reports_off():
            import openvino_genai
        module: ModuleType = openvino_genai
        return module

    @cached_property
    def _pipeline(self) -> "LLMPipeline":
        try:
            return self._genai.LLMPipeline(str(self._files.path), "CPU")
        except RuntimeError as error:
            line = str(error).strip().splitlines()[-1][:200]
            raise ModelError(f"{self._files.path} cannot be run by openvino-genai: {line}") from error

    def _answer(self, request: Request, is_cancelled: threading.Event) -> Reply:
        if is_cancelled.is_set():
            raise CallError(f"{self.name} was stopped", kind=FailureKind.TIMEOUT)
        turns = [{"role": message.role, "content": message.text} for message in request.messages]
        history = self._genai.ChatHistory(turns)
        settings = self._settings(request, self._room(history))
        if settings.do_sample:
            self._reseed(settings.rng_seed)
        flags = self._genai.StreamingStatus
        is_search = asks_for_next_token(request.parameters)
        # A search accepts no streamer, and has one step.
        streamer = [] if is_search else [lambda _: flags.CANCEL if is_cancelled.is_set() else flags.RUNNING]
        try:
            result = self._pipeline.generate(history, settings, *streamer)
        except RuntimeError as error:
            line = str(error).strip().splitlines()[-1][:200]
            raise CallError(f"{self.name} did not answer: {line}", kind=FailureKind.REJECTED) from None
        if is_search:
            likeliest = likeliest_tokens(result.texts, result.scores)
            return replace(self._reply(result, likeliest.token), logprobs=(likeliest,))
        return self._reply(result, result.texts[0])

    def _room(self, history: "ChatHistory") -> int:
        """Return the number of tokens of the context that the prompt leaves for a reply."""
        if self._files.context is None:
            return UNLIMITED
        tokenizer = self._pipeline.get_tokenizer()
        prompt = tokenizer.apply_chat_template(history, add_generation_prompt=True)
        # The tokenizer itself cuts longer prompts.
        length = int(tokenizer.encode(prompt, add_special_tokens=False).input_ids.shape[1])
        if length >= self._files.context:
            raise CallError(
                f"{self.name} reads {self._files.context:,} tokens, and the prompt leaves no room",
                kind=FailureKind.REJECTED,
            )
        return self._files.context - length

    def _settings(self, request: Request, room: int) -> "GenerationConfig":
        asked = request.parameters
        if asks_for_next_token(asked):
            return self._genai.GenerationConfig(**beam_settings(asked.top_logprobs or 1))
        settings: dict[str, Any] = {"max_new_tokens": min(asked.max_tokens or UNLIMITED, room)}
        if asked.temperature:
            seed = asked.seed if asked.seed is not None else request.sample
            settings |= {"do_sample": True, "temperature": asked.temperature, "rng_seed": seed % 2**32}
            settings |= {} if asked.top_p is None else {"top_p": asked.top_p}
        if asked.stop:
            settings["stop_strings"] = set(asked.stop)
        if asked.schema is not None:
            schema = json.dumps(dict(asked.schema))
            settings["structured_output_config"] = self._genai.StructuredOutputConfig(json_schema=schema)
        return self._genai.GenerationConfig(**settings)

    def _reseed(self, seed: int) -> None:
        """Restart the random sequence of a seed, which the engine would continue for the same seed."""
        other = (seed + 1) % 2**32
        settings = {"max_new_tokens": 1, "do_sample": True, "temperature": 1.0, "rng_seed": other}
        self._pipeline.generate("a", self._genai.GenerationConfig(apply_chat_template=False, **settings))

    def _reply(self, result: "DecodedResults", text: str) -> Reply:
        metrics = result.perf_metrics
        usage = Usage(int(metrics.get_num_input_tokens()), int(metrics.get_num_generated_tokens()))
        reason = result.finish_reasons[0].name.lower()
        seconds = float(metrics.get_generate_duration().mean) / _MILLISECONDS
        reply = Reply(text, reason, usage, model=self.name, raw=text, seconds=seconds)
        return validate_reply(reply, model=self.name)

    def __repr__(self) -> str:
        return f"LocalChat({self.name!r})"


def asks_for_next_token(asked: Parameters) -> bool:
    """Return whether a request is for the likeliest token and the probabilities of its alternatives."""
    return (
        asked.max_tokens == 1 and bool(asked.top_logprobs) and not asked.temperature and asked.schema is None
    )


def beam_settings(k: int) -> dict[str, int]:
    """Return the engine's settings for a search for the k likeliest tokens."""
    return {"max_new_tokens": 1, "num_beams": k, "num_return_sequences": k}


def likeliest_tokens(texts: Sequence[str], logprobs: Sequence[float]) -> TokenLogprob:
    """Join the beams of a search of one step; tokens with the same text add up.

    Args:
        texts: texts of the beams, at least one.
        logprobs: scores of the beams, natural logarithms of probabilities.

    Examples:
        >>> found = likeliest_tokens(["A", "B", "A"], [math.log(0.5), math.log(0.25), math.log(0.125)])
        >>> found.token, round(math.exp(found.logprob), 3), [text for text, _ in found.top]
        ('A', 0.625, ['A', 'B'])
    """
    shares: dict[str, float] = {}
    for text, logprob in zip(texts, logprobs, strict=True):
        shares[text] = shares.get(text, 0.0) + math.exp(logprob)
    ranked = sorted(shares.items(), key=lambda pair: -pair[1])
    top = tuple((text, min(0.0, math.log(share))) for text, share in ranked if share > 0)
    return TokenLogprob(*top[0], top)
