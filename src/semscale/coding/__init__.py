"""Coding of open answers by a codebook: any number of codes per answer, with calibrated probabilities."""

from semscale.coding.codebook import Code, Codebook, load_codebook

__all__ = ["Code", "Codebook", "load_codebook"]
