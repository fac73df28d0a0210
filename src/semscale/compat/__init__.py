"""Interfaces of other libraries, computed by Semscale; to switch, change an import line."""
