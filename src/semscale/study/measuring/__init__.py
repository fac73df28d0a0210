"""Turns replies of personas into ratings."""
