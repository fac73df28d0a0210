"""Attention among the tokens of each packed row: softmax(Q K^T / sqrt(d)) V in every head."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import torch

    from semscale.embedding.torch_engine.packed_tensors import PackedTensors


def attended(joined: "torch.Tensor", rows: "PackedTensors", *, heads: int, packed: bool) -> "torch.Tensor":
    """Let the tokens of each row attend to each other, and to no token of another row.

    Args:
        joined: shape (tokens, 3 * hidden), queries, keys and values side by side.
        rows: which tokens are a row.
        heads: attention heads.
        packed: whether one kernel takes rows of all lengths; else there is one call for each length.

    Returns:
        Shape (tokens, hidden).

    References:
        Vaswani et al. 2017, equation 1, arXiv:1706.03762; packed rows: Dao 2023, FlashAttention-2,
        arXiv:2307.08691.
    """
    query, key, value = joined.unflatten(1, (3, heads, -1)).unbind(1)
    return (_packed if packed else _by_length)(query, key, value, rows)


def _packed(
    query: "torch.Tensor", key: "torch.Tensor", value: "torch.Tensor", rows: "PackedTensors"
) -> "torch.Tensor":
    from torch.nn.attention import varlen

    mixed = varlen.varlen_attn(query, key, value, rows.ends, rows.ends, rows.longest, rows.longest)
    found: torch.Tensor = mixed.flatten(1)
    return found


def _by_length(
    query: "torch.Tensor", key: "torch.Tensor", value: "torch.Tensor", rows: "PackedTensors"
) -> "torch.Tensor":
    """Attend in one call for each length, as rows of equal length need neither padding nor a mask."""
    import torch

    mixed = query.new_empty((len(query), query.shape[1] * query.shape[2]))
    for run in rows.runs:
        tokens = slice(run.first, run.first + run.rows * run.length)
        split = (
            part[tokens].unflatten(0, (run.rows, run.length)).transpose(1, 2) for part in (query, key, value)
        )
        own = torch.nn.functional.scaled_dot_product_attention(*split)
        mixed[tokens] = own.transpose(1, 2).reshape(run.rows * run.length, -1)
    return mixed
