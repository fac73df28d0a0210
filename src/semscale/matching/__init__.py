"""How far a prediction says what a reference says: cosine, BERTScore, layered match, and guards."""
