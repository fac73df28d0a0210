"""Submissions to the ClinIQLink benchmark and their scores."""
