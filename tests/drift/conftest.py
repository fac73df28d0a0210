import json

import pytest


@pytest.fixture
def written(tmp_path):
    """Writes a text, bytes, or rows as JSON lines into a file, and gives its path."""

    def write(content, name="answers.csv"):
        path = tmp_path / name
        if isinstance(content, bytes):
            path.write_bytes(content)
        elif isinstance(content, list):
            path.write_text("".join(json.dumps(row) + "\n" for row in content), encoding="utf-8")
        else:
            path.write_text(content, encoding="utf-8")
        return path

    return write
