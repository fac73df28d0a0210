"""Entailment: whether one text says what another says, by a model of natural language inference."""
