"""Endpoints that speak OpenAI's chat interface."""
