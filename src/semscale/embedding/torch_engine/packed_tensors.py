"""Packed rows on a device."""

from typing import TYPE_CHECKING

import numpy as np

from semscale.embedding.torch_engine.packed_rows import EqualRows, PackedRows

if TYPE_CHECKING:
    import torch


class PackedTensors:
    """A batch of packed rows on a device.

    Args:
        rows: the batch.
        device: where it is computed.

    Attributes:
        ids: shape (tokens,).
        places: shape (tokens,), of each token in its row.
        ends: shape (b + 1,), where rows begin, and where the last one ends; int32.
        starts: shape (b,), the place of each row's first token, as an array.
        runs: runs of rows of equal length.
        longest: tokens of the longest row.
    """

    def __init__(self, rows: PackedRows, device: "torch.device") -> None:
        import torch

        arrays = torch.from_numpy(np.concatenate([rows.ids, rows.places, rows.ends]))
        # From pinned memory a copy runs beside what the device still computes.
        pinned = arrays.pin_memory() if device.type == "cuda" else arrays
        sent = pinned.to(device, non_blocking=device.type == "cuda")
        n = len(rows.ids)
        self.ids, self.places, self.ends = sent[:n], sent[n : 2 * n], sent[2 * n :]
        self.starts = rows.ends[:-1]
        self.runs: list[EqualRows] = rows.runs
        self.longest = int(rows.lengths[0]) if len(rows.lengths) else 0


def run_states(states: "torch.Tensor", run: EqualRows) -> "torch.Tensor":
    """Give the states of a run as (rows, length, hidden), without a copy."""
    last = run.first + run.rows * run.length
    return states[run.first : last].unflatten(0, (run.rows, run.length))
