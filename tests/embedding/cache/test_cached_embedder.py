"""An embedder with a cache: what is known is not computed again, and nothing else changes."""

import numpy as np
import pytest

from semscale.embedding.cache import CachedEmbedder, EmbeddingCache
from semscale.embedding.cache_file import CacheWarning
from semscale.embedding.embedder import Embedder, Embeddings
from semscale.errors import InputError
from semscale.signature import Signature


@pytest.fixture
def cache(tmp_path):
    with EmbeddingCache(tmp_path / "folder") as made:
        yield made


class Counting:
    """Embeds by length, and notes what it was asked."""

    dimensions = 2

    def __init__(self, *, precision: str = "exact", stop_at: str | None = None) -> None:
        self.signature = Signature.of("embed", model="counting", precision=precision)
        self.asked: list[list[str]] = []
        self.stop_at = stop_at

    def embed(self, texts, *, progress=None):
        if self.stop_at in texts:
            raise KeyboardInterrupt
        self.asked.append(list(texts))
        if progress:
            progress("embedding", len(texts), len(texts))
        lengths = np.array([len(text) for text in texts], np.float32)
        return Embeddings(np.column_stack([lengths, np.ones_like(lengths)]), np.full(len(texts), 2))


class TestCachedEmbedder:
    def test_is_an_embedder_with_the_signature_of_the_one_behind_it(self, cache):
        behind = Counting()
        embedder: Embedder = CachedEmbedder(behind, cache)
        assert isinstance(embedder, Embedder)
        assert (embedder.dimensions, embedder.signature) == (2, behind.signature)

    def test_order_is_kept_and_only_what_is_missing_is_computed(self, cache):
        behind = Counting()
        embedder = CachedEmbedder(behind, cache)
        embedder.embed(["a", "bbb"])
        result = embedder.embed(["bbb", "cc", "a", "cc", "bbb"])
        assert result.vectors[:, 0].tolist() == [3, 2, 1, 2, 3]
        assert result.windows.tolist() == [2] * 5
        assert behind.asked == [["a", "bbb"], ["cc"]]

    def test_another_signature_finds_nothing(self, cache):
        CachedEmbedder(Counting(), cache).embed(["a"])
        other = Counting(precision="fast")
        CachedEmbedder(other, cache).embed(["a"])
        assert other.asked == [["a"]]

    def test_finished_chunks_survive_an_interrupt(self, cache):
        texts = [f"text {number}" for number in range(10)]
        with pytest.raises(KeyboardInterrupt):
            CachedEmbedder(Counting(stop_at="text 7"), cache, chunk=3).embed(texts)
        behind = Counting()
        CachedEmbedder(behind, cache, chunk=3).embed(texts)
        assert behind.asked == [texts[6:9], texts[9:]]

    def test_progress_counts_distinct_texts(self, cache):
        embedder = CachedEmbedder(Counting(), cache, chunk=2)
        embedder.embed(["a", "b"])
        seen = []
        embedder.embed(["a", "c", "a", "d", "e"], progress=lambda *step: seen.append(step))
        # One of four is known; then come chunks of two and of one.
        assert seen == [("embedding", 1, 4), ("embedding", 3, 4), ("embedding", 4, 4)]

    def test_works_without_a_cache(self, tmp_path):
        (tmp_path / "file").write_text("in the way")
        with pytest.warns(CacheWarning) as caught:
            result = CachedEmbedder(Counting(), EmbeddingCache(tmp_path / "file"), chunk=1).embed(["a", "bb"])
        assert result.vectors[:, 0].tolist() == [1, 2]
        assert len(caught) == 1

    def test_no_texts(self, cache):
        assert CachedEmbedder(Counting(), cache).embed([]).vectors.shape == (0, 2)

    def test_what_is_not_a_text(self, cache):
        with pytest.raises(InputError, match=r"texts\[1\] must be a string, got int"):
            CachedEmbedder(Counting(), cache).embed(["a", 3])
