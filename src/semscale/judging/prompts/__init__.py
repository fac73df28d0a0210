"""The prompt of a judge: templates, wording, and input sanitizing."""
