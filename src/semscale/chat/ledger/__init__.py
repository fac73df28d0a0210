"""The ledger: a record on disk of all calls to chat models."""
