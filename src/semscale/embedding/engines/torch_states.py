"""Hidden states of single tokens from the transformer inside a model of sentence-transformers."""

from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from semscale.embedding.engines.batching import token_batches
from semscale.embedding.tokens.state_engine import Outputs, Rows, Whose
from semscale.errors import InputError
from semscale.types import Integers

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer
    from tokenizers import Tokenizer

_TOKEN_BUDGET = 4096  # tokens in one forward pass
_POOLINGS = ("mean", "cls")
_REMEDY = "give a model whose first module is a transformer"


class TorchStates:
    """The transformer of a model, layer by layer.

    Args:
        model: of sentence-transformers, with a fast tokenizer.
        prefix: put before every text.

    References:
        ``output_hidden_states`` of transformers: state 0 is the embeddings, the last one the model's output.
    """

    def __init__(self, model: "SentenceTransformer", prefix: str = "") -> None:
        self._model = model
        self._prefix = prefix

    @cached_property
    def transformer(self) -> Any:  # noqa: ANN401 - a model of transformers
        """The transformer itself.

        Raises:
            InputError: the model has none.
        """
        first = next(iter(self._model), None)
        found = getattr(first, "auto_model", None)
        if found is None or not hasattr(found, "config"):
            raise InputError(f"embedder reads texts without layers of token states: {_REMEDY}")
        return found

    @property
    def layers(self) -> int:
        """How many transformer layers the model has."""
        return int(self.transformer.config.num_hidden_layers)

    @property
    def hidden(self) -> int:
        """Width of a hidden state."""
        return int(self.transformer.config.hidden_size)

    @property
    def positions(self) -> int:
        """How many tokens the model reads at once: its position table, less what its family leaves free."""
        table = getattr(getattr(self.transformer, "embeddings", None), "position_embeddings", None)
        if table is not None and hasattr(table, "num_embeddings"):
            free = 0 if table.padding_idx is None else table.padding_idx + 1
            return int(table.num_embeddings) - int(free)
        stated = getattr(self.transformer.config, "max_position_embeddings", None)
        return int(stated or self._model.max_seq_length or 512)

    @property
    def pooling(self) -> str:
        """How a text's vector is made of the last layer's states: ``mean``, or ``cls``, the first.

        Raises:
            InputError: in another way.
        """
        _, *later = self._model
        kinds = [type(module).__name__ for module in later]
        pooled = kinds in (["Pooling"], ["Pooling", "Normalize"])
        mode = _pooling_mode(later[0]) if pooled else "+".join(kinds)
        if mode not in _POOLINGS:
            raise InputError(
                f"embedder makes a text's vector by {mode or 'nothing'}, and only the mean of the tokens' "
                "states or the first of them can be applied here: give a model with mean or CLS pooling"
            )
        return mode

    @property
    def word_prefix(self) -> str:
        """The model's own prefix; a space for RoBERTa, which spells words otherwise after a space."""
        return self._prefix or (" " if self.transformer.config.model_type == "roberta" else "")

    def open_tokenizer(self) -> "Tokenizer":
        """Give a copy of the model's tokenizer, without padding and truncation.

        Raises:
            InputError: it has no fast tokenizer, which alone says where tokens stand in a text.
        """
        from tokenizers import Tokenizer

        fast = getattr(self._model.tokenizer, "backend_tokenizer", None)
        if fast is None:
            raise InputError("embedder has no fast tokenizer, which alone says where tokens stand")
        tokenizer = Tokenizer.from_str(fast.to_str())
        tokenizer.no_padding()
        tokenizer.no_truncation()
        return tokenizer

    def run(
        self, groups: Iterable[tuple[Whose, Rows]], layer: int
    ) -> Iterator[tuple[Whose, Integers, Outputs]]:
        """Run rows of token ids, as ``StateEngine.run_layer`` has it."""
        for whose, ids in groups:
            lengths = np.fromiter(map(len, ids), np.int64, len(ids))
            for rows in token_batches(lengths, _TOKEN_BUDGET):
                yield whose, rows, self._states(np.stack([ids[row] for row in rows]), layer)

    def _states(self, ids: np.ndarray, layer: int) -> Outputs:
        import torch

        device = self._model.device
        with torch.inference_mode():
            tokens = torch.as_tensor(ids, dtype=torch.long, device=device)
            output = self.transformer(
                input_ids=tokens, attention_mask=torch.ones_like(tokens), output_hidden_states=True
            )
            states: Outputs = output.hidden_states[layer].float().cpu().numpy()
        return states


def _pooling_mode(module: Any) -> str:  # noqa: ANN401 - of sentence-transformers, whose names have changed
    stated = getattr(module, "pooling_mode", None)
    return str(stated if stated is not None else module.get_pooling_mode_str())
