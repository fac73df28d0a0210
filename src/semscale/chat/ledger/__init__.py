"""The ledger: every call that was made, kept on disk."""
