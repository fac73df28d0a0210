"""The service: an HTTP interface to embeddings and instruments (``semscale serve``)."""
