"""The interface of ``semantic-similarity-rating``, as in its guide, computed by Semscale.

In the guide's import lines, write ``semscale.compat.ssr`` instead of ``semantic_similarity_rating``; the
modules ``compute`` and ``response_rater`` work, too. Ratings follow the published equation, including
epsilon, with the edge cases of the guide: equal similarities give a uniform PMF, and T = 0 with a tie leaves
the PMF unchanged. Scales may have 2 to 11 points. A model's reasoning before a response, such as
``<think>...</think>``, is not rated.

Examples:
    >>> from semscale.compat.ssr.compute import scale_pmf
    >>> scale_pmf([0.2, 0.8], temperature=0.0).tolist()
    [0.0, 1.0]
"""

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import narwhals as nw
import numpy as np
import numpy.typing as npt

from semscale.errors import InputError, UnknownNameError
from semscale.rating.readouts import sharpen_pmf, ssr_ratings
from semscale.text_preparation import TextPreparation
from semscale.types import Floats

if TYPE_CHECKING:
    from semscale.embedding.embedder import Embedder

__all__ = ["ResponseRater", "compute", "response_embeddings_to_pmf", "response_rater", "scale_pmf"]

# The import system looks in ``sys.modules`` first, so imports of the guide's modules work although this is no
# package: both names stand for this module.
compute = response_rater = sys.modules[__name__]
sys.modules.update({f"{__name__}.{name}": compute for name in ("compute", "response_rater")})

MEAN = "mean"
_COLUMNS = ("id", "int_response", "sentence")
_MATRIX_AXES = 2


def response_embeddings_to_pmf(
    matrix_responses: npt.ArrayLike, matrix_likert_sentences: npt.ArrayLike, epsilon: float = 0.0
) -> Floats:
    """Turn response embeddings into PMFs over a scale's points; see ``similarity_pmf`` of the readout SSR.

    Args:
        matrix_responses: shape (n, d), or (d,) for one response.
        matrix_likert_sentences: shape (d, k): one column per point.
        epsilon: at least 0; assigned to the least similar point.

    Returns:
        Shape (n, k), rows sum to 1; (0, k) for no responses.

    Raises:
        InputError: the shapes differ, or vectors, whose rows the message names, have NaN or length 0.

    Examples:
        >>> response_embeddings_to_pmf(np.array([[1.0, 1.0, 0.0]]), np.eye(3)).round(3).tolist()
        [[0.5, 0.5, 0.0]]
    """
    sentences = np.asarray(matrix_likert_sentences)
    if sentences.ndim != _MATRIX_AXES:
        raise InputError(
            "matrix_likert_sentences", f"must have shape (dimensions, points), got {sentences.shape}"
        )
    responses = np.asarray(matrix_responses)
    if responses.shape[-1:] != sentences.shape[:1] and responses.shape[-1:] == sentences.shape[1:]:
        raise InputError(
            "matrix_likert_sentences", f"must have one column per point, got {sentences.shape}: transpose it"
        )
    return ssr_ratings(responses, sentences.T[None], epsilon=epsilon, semantics="guide").pmf


def scale_pmf(pmf: npt.ArrayLike, temperature: float, max_temp: float = np.inf) -> Floats:
    """Sharpen or flatten a PMF; see ``semscale.rating.readouts.sharpen_pmf``.

    Args:
        pmf: shape (k,), or (n, k) for several.
        temperature: at least 0; 0 puts all mass on the point with the largest mass, and leaves a PMF with a
            tie unchanged.
        max_temp: upper limit of the temperature, at least 0.

    Raises:
        InputError: the temperature or its limit is negative, or ``pmf`` is not a PMF.

    Examples:
        >>> scale_pmf([0.2, 0.8], temperature=0.0).tolist()
        [0.0, 1.0]
    """
    if not max_temp >= 0:
        raise InputError("max_temp", f"must be 0 or more, got {max_temp}")
    return sharpen_pmf(pmf, temperature=min(temperature, max_temp), semantics="guide")


class ResponseRater:
    """Rater of responses by sets of reference sentences.

    Args:
        df_reference_sentences: a polars, pandas or Arrow table with columns ``id`` (name of the set),
            ``int_response`` (1 to k in each set, the same k in all) and ``sentence``. If it has a column of
            vectors, one for each sentence, responses must be vectors; otherwise texts.
        embeddings_column: name of the column of vectors.
        model_name: embedding model for texts.
        device: ``None`` or ``cpu`` for Semscale's own engine; another one, such as ``cuda``, runs the model
            with PyTorch (``semscale[torch]``) on that device.
        embedder: overrides ``model_name``.

    Raises:
        InputError: (a ``ValueError``) a column is missing, a set is incomplete, or a set has the reserved
            name ``mean``.

    Examples:
        >>> import polars as pl
        >>> references = pl.DataFrame(
        ...     {"id": ["a", "a"], "int_response": [1, 2], "sentence": ["No.", "Yes."],
        ...      "embedding": [[1.0, 0.0], [0.0, 1.0]]}
        ... )
        >>> rater = ResponseRater(references)
        >>> rater.get_response_pmfs("a", np.array([[0.6, 0.8]])).tolist()
        [[0.0, 1.0]]
    """

    def __init__(
        self,
        df_reference_sentences: object,
        embeddings_column: str = "embedding",
        model_name: str = "all-MiniLM-L6-v2",
        device: str | None = None,
        *,
        embedder: "Embedder | None" = None,
    ) -> None:
        table = _as_table(df_reference_sentences)
        self._sentences = _sets(table, "sentence")
        self._embedder = embedder
        self._model_name, self._device = model_name, device
        self._anchors: dict[str, npt.NDArray[Any]] = {}
        self._takes_vectors = embeddings_column in table.columns
        if self._takes_vectors:
            self._anchors |= _as_matrices(_sets(table, embeddings_column), embeddings_column)

    @property
    def available_reference_sets(self) -> list[str]:
        """Names of the sets, in order of first appearance."""
        return list(self._sentences)

    @property
    def model_info(self) -> dict[str, Any]:
        """Mode (kind of responses), ``embedding_dimension``, and the embedding model.

        The model's ``model_name``, ``device`` and ``signature`` are ``None`` if responses are vectors.
        """
        if self._takes_vectors:
            dimension = next(iter(self._anchors.values())).shape[1]
            nothing = dict.fromkeys(("model_name", "device", "signature"))
            return {"mode": "embedding", "embedding_dimension": dimension, **nothing}
        return {
            "mode": "text",
            "embedding_dimension": self._model().dimensions,
            "model_name": self._model_name,
            "device": self._device or "cpu",
            "signature": str(self._model().signature),
        }

    def get_reference_sentences(self, reference_set_id: str) -> list[str]:
        """List the k sentences of a set, the lowest point first; for ``mean`` the numbers of the points.

        Raises:
            UnknownNameError: (a ``KeyError``) there is no such set; the message lists the sets.
        """
        if reference_set_id == MEAN:
            n_points = len(next(iter(self._sentences.values())))
            return [str(point) for point in range(1, n_points + 1)]
        return list(self._sentences[self._check_name(reference_set_id)])

    def encode_texts(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Embed texts, shape (n, d).

        Raises:
            InputError: (a ``ValueError``) the references have vectors, so there is no model; or a text is
                empty or no string, and the message names the rows.
        """
        if self._takes_vectors:
            raise InputError("encode_texts needs references without vectors: here responses are vectors, too")
        if isinstance(texts, str | np.ndarray) and not _holds_texts(texts):
            raise InputError(
                "Expected list of text strings: llm_responses must be a list of texts, as references have no "
                f"embedding column, got {type(texts).__name__}"
            )
        wrong = [row for row, text in enumerate(texts) if not isinstance(text, str) or not text.strip()]
        if wrong:
            raise InputError(f"llm_responses must be texts that are not empty: invalid in rows {wrong[:5]}")
        model = self._model()
        if len(texts) == 0:
            return np.empty((0, model.dimensions), dtype=np.float32)
        return model.embed(list(texts)).vectors

    def get_response_pmfs(
        self,
        reference_set_id: str,
        llm_responses: Sequence[str] | npt.ArrayLike,
        temperature: float = 1.0,
        epsilon: float = 0.0,
    ) -> Floats:
        """Rate responses against one set, or average over all sets.

        Args:
            reference_set_id: name of a set, or ``mean``.
            llm_responses: n texts, or vectors (n, d) if the references have vectors.
            temperature: at least 0; applied to the average.
            epsilon: at least 0; assigned to the least similar point of each set.

        Returns:
            Shape (n, k), rows sum to 1.

        Raises:
            UnknownNameError: (a ``KeyError``) there is no such set; the message lists the sets.
            InputError: (a ``ValueError``) the responses have the wrong kind, or a setting is out of range.
        """
        names = (
            self.available_reference_sets
            if reference_set_id == MEAN
            else [self._check_name(reference_set_id)]
        )
        vectors = self._response_vectors(llm_responses)
        return ssr_ratings(
            vectors,
            np.stack([self._anchors_of(name) for name in names]),
            epsilon=epsilon,
            temperature=temperature,
            semantics="guide",
        ).pmf

    def get_survey_response_pmf(self, response_pmfs: npt.ArrayLike) -> Floats:
        """Average the PMFs of many responses, shape (n, k), into one, shape (k,).

        Raises:
            InputError: there are no responses.
        """
        pmfs = np.asarray(response_pmfs, dtype=np.float64)
        if pmfs.ndim != _MATRIX_AXES or not len(pmfs):
            raise InputError("response_pmfs", f"must have shape (responses, points), got {pmfs.shape}")
        average: Floats = pmfs.mean(axis=0)
        return average

    def get_survey_response_pmf_by_reference_set_id(
        self,
        reference_set_id: str,
        llm_responses: Sequence[str] | npt.ArrayLike,
        temperature: float = 1.0,
        epsilon: float = 0.0,
    ) -> Floats:
        """Rate responses as ``get_response_pmfs`` does, and average their PMFs into one, shape (k,).

        Raises:
            UnknownNameError: as ``get_response_pmfs``.
            InputError: as ``get_response_pmfs``, or there are no responses.
        """
        pmfs = self.get_response_pmfs(reference_set_id, llm_responses, temperature, epsilon)
        return self.get_survey_response_pmf(pmfs)

    def _check_name(self, name: str) -> str:
        if name not in self._sentences:
            known = ", ".join(map(repr, [*self._sentences, MEAN]))
            raise UnknownNameError(f"reference_set_id must be one of {known}, got {name!r}")
        return name

    def _response_vectors(self, responses: Sequence[str] | npt.ArrayLike) -> npt.ArrayLike:
        if not self._takes_vectors:
            preparation = TextPreparation(reasoning="remove")
            answers = preparation.prepare(responses) if _holds_texts(responses) else responses
            return self.encode_texts(answers)  # type: ignore[arg-type]  # checked there
        if _holds_texts(responses):
            raise InputError("llm_responses must be vectors, as the references came with an embedding column")
        return responses

    def _anchors_of(self, name: str) -> npt.NDArray[Any]:
        if name not in self._anchors:
            self._anchors[name] = self.encode_texts(self._sentences[name])
        return self._anchors[name]

    def _model(self) -> "Embedder":
        if self._embedder is None:
            self._embedder = _load(self._model_name, self._device)
        return self._embedder


def _load(model_name: str, device: str | None) -> "Embedder":
    if device in (None, "cpu"):
        from semscale.embedding import load_embedder

        return load_embedder(model_name)
    from semscale.embedding.sentence_transformers import SentenceTransformerEmbedder

    return SentenceTransformerEmbedder(model_name, device=device)


def _as_table(reference_sentences: object) -> nw.DataFrame[Any]:
    table = nw.from_native(reference_sentences, eager_only=True, pass_through=True)
    if not isinstance(table, nw.DataFrame):
        raise InputError(f"df_reference_sentences must be a table, got {type(reference_sentences).__name__}")
    missing = [name for name in _COLUMNS if name not in table.columns]
    if missing:
        raise InputError(
            f"df_reference_sentences must have the columns {', '.join(_COLUMNS)}; "
            f"missing: {', '.join(missing)}"
        )
    return table


def _sets(table: nw.DataFrame[Any], column: str) -> dict[str, list[Any]]:
    """List a column's values by set, each in the order of its points."""
    rows: dict[str, list[tuple[int, Any]]] = {}
    for name, point, cell in table.select("id", "int_response", column).iter_rows():
        rows.setdefault(str(name), []).append((point, cell))
    if not rows:
        raise InputError("df_reference_sentences must have at least one set, got no rows")
    if MEAN in rows:
        raise InputError("id", f"must not be {MEAN!r}: this name means the average over all sets")
    k = len(next(iter(rows.values())))
    for name, listed in rows.items():
        points = [point for point, _ in listed]
        if len(points) != k or set(points) != set(range(1, k + 1)):
            raise InputError(f"int_response must be 1 to {k} in every set, got {points} in {name!r}")
    return {
        name: [cell for _, cell in sorted(listed, key=lambda row: row[0])] for name, listed in rows.items()
    }


def _as_matrices(sets: dict[str, list[Any]], column: str) -> dict[str, Floats]:
    try:
        stacked = np.array([[np.asarray(row, dtype=np.float64) for row in rows] for rows in sets.values()])
    except (TypeError, ValueError):
        raise InputError(f"{column} must hold vectors of one width, one for each sentence") from None
    return dict(zip(sets, stacked, strict=True))


def _holds_texts(responses: object) -> bool:
    return (
        isinstance(responses, Sequence | np.ndarray)
        and not isinstance(responses, str)
        and len(responses) > 0
        and isinstance(responses[0], str)
    )
