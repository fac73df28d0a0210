"""Interfaces of other libraries on Semscale's arithmetic; changing an import line is enough to switch."""
