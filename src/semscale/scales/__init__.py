"""Scales, their points and anchors, and the library of scales that ships with Semscale."""
