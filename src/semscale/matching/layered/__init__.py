"""The layered match of the ClinIQLink evaluator: words, sentences and paragraphs."""
