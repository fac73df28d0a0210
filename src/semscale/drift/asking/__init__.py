"""Runs for which a chat model or a program is asked: prompts, new replies, and what they cost."""
