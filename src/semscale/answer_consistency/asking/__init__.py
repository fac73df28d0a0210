"""Asks a chat model for answers and samples."""
