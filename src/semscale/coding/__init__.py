"""Open answers coded by a codebook: more than one code per answer, each with a calibrated probability."""

from semscale.coding.codebook import Code, Codebook, load_codebook

__all__ = ["Code", "Codebook", "load_codebook"]
