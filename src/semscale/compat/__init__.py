"""Interfaces of other libraries on Semscale's arithmetic: changing one import line is enough to switch."""
