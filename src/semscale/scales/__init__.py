"""Scales with their points and anchors, and the library of scales that ships with Semscale."""

from semscale.scales.library import load_scale, scale_names
from semscale.scales.scale import Point, Probe, Scale

__all__ = ["Point", "Probe", "Scale", "load_scale", "scale_names"]
