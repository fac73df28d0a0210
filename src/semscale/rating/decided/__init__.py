"""Ratings by typed decisions of a chat model, beside those by similarity."""
