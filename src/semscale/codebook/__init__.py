"""Codebooks: what each column of a table holds, and what it is taken for."""
