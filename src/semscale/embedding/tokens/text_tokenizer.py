"""What embedding texts needs of a tokenizer: a part of what the library ``tokenizers`` offers."""

from collections.abc import Sequence
from typing import Protocol


class TokenizedText(Protocol):
    """A text's tokens, special ones included."""

    @property
    def ids(self) -> list[int]:
        """The ids."""
        ...

    @property
    def offsets(self) -> list[tuple[int, int]]:
        """The first character of each token, or of its word, and the one after the last."""
        ...

    @property
    def special_tokens_mask(self) -> list[int]:
        """1 for each special token around the text, else 0."""
        ...


class TextTokenizer(Protocol):
    """A tokenizer without padding and truncation: the library's own, or a ``UnigramTokenizer``."""

    @property
    def model(self) -> object:
        """The library's model; its ``unk_token``, where it has one, is the name of the unknown token."""
        ...

    def token_to_id(self, token: str, /) -> int | None:
        """Return a token's id, or ``None`` if it is not known."""
        ...

    def encode(self, text: str, /) -> TokenizedText:
        """Tokenize a text."""
        ...

    def encode_batch_fast(self, texts: list[str], /) -> Sequence[TokenizedText]:
        """Tokenize texts; offsets and masks may be missing."""
        ...
