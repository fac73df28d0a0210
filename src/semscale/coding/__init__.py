"""Open answers coded by a codebook: several codes an answer, each with a calibrated probability."""

from semscale.coding.codebook import Code, CodeFrame
from semscale.coding.codebook_file import load_codebook

__all__ = ["Code", "CodeFrame", "load_codebook"]
