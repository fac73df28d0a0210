"""The workbench on a project of its own, without a browser."""

import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

PORT = 8765


@contextmanager
def opened_workbench(write: Callable[[Path], None]) -> Iterator[tuple[Any, Path]]:
    """Open a project whose file is read, and yield a client and the project's folder.

    Args:
        write: writes the project into its folder.

    Without the extra or the client, the script ends with a line that says how to install them.
    """
    try:
        from starlette.testclient import TestClient

        from semscale.workbench.access import Access, TokenAccess
        from semscale.workbench.application import workbench
        from semscale.workbench.project import Project
    except ImportError as error:
        print(f'skipped: {error.name} is not there: pip install "semscale[workbench]" httpx')
        sys.exit()

    with tempfile.TemporaryDirectory() as folder:
        os.environ["XDG_STATE_HOME"] = folder
        project = Path(folder, "project")
        project.mkdir()
        write(project)
        app = Access(workbench(Project.open(project)), rule=TokenAccess("t" * 32, PORT))
        with TestClient(app, base_url=f"http://127.0.0.1:{PORT}") as client:
            client.get(f"/?token={'t' * 32}")
            while "Reading the file" in client.get("/rate").text:  # which imports the other pages, too
                time.sleep(0.1)
            yield client, project
