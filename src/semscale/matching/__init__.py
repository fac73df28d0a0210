"""Matching: how far a prediction says the same as a reference, by cosine, BERTScore, layers or guards."""
