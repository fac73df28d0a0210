"""Descriptions of surveys: what the columns of a file mean, question by question."""
