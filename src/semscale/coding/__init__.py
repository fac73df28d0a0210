"""Open answers coded by a codebook: several codes an answer, each with a calibrated probability."""

from semscale.coding.codebook import Code, Codebook
from semscale.coding.codebook_file import load_codebook

__all__ = ["Code", "Codebook", "load_codebook"]
