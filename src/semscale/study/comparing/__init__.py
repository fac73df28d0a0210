"""Holds a panel's answers against those of people: structure, marginals and individuals."""
