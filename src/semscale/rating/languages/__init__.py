"""Languages of texts, and of the anchors that rate them."""
