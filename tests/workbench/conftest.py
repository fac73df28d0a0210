"""A project with a small survey, and a browser without JavaScript that has opened the workbench."""

import re
import shutil
import signal
import subprocess
import sys
from importlib.util import find_spec

import pytest

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
IN_CHROMIUM = [
    pytest.mark.exhaustive,
    pytest.mark.skipif(find_spec("playwright") is None, reason="no Playwright: pip install --group browser"),
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on the path"),
    pytest.mark.timeout(600, method="thread"),  # keys and scripts of a page have no time limit of their own
]
"""Marks of tests that need a Chromium."""

_LEFT = ("htmx:sendAbort", "htmx:afterRequest")  # of a request that the browser ends when a page is left
_MILLISECONDS = 60_000

PORT = 8765
TOKEN = "t" * 32
SURVEY = """respondent,country,satisfaction,tea,milk,sound,shape,why,age
1,DE,3,Yes,No,1,5,It is good,30
2,AT,1,Yes,,2,4,Too loud for me,41
3,DE,2,No,No,3,3,I like it a lot,52
4,<script>alert(1)</script> & more,99,No,Yes,4,2,Hard to say,63
5,DE,3,Yes,Yes,5,1,Nothing to say here,19
6,AT,2,,,3,3,The sound is fine,24
"""


def pytest_collection_modifyitems(items) -> None:
    """Skip, with a line that says how to install it, what needs the extra."""
    for item in items:
        if "tests/workbench" in item.path.as_posix():
            item.add_marker(pytest.mark.needs("workbench"))


class Browser:
    """Sends requests as a browser does that has the cookie, and fills in the forms of pages."""

    def __init__(self, app) -> None:
        from starlette.testclient import TestClient

        self.client = TestClient(app, base_url=f"http://127.0.0.1:{PORT}")
        self.client.get(f"/?token={TOKEN}")

    def answer(self, path):
        """Load a page; one that waits for its files loads itself again, as a browser does."""
        answer = self.client.get(path)
        while "Reading the file" in answer.text or "Looking for other waves" in answer.text:
            answer = self.client.get(path)
        return answer

    def get(self, path):
        """Load a page that is there."""
        answer = self.answer(path)
        assert answer.status_code == 200, answer.text[-2000:]
        return answer.text

    def post(self, path, data=(), headers=None, **further):
        headers = {"Sec-Fetch-Site": "same-origin"} if headers is None else headers
        return self.client.post(path, data=dict(data), headers=headers, **further)

    def change(self, path, data=()):
        """Send a form, which must be accepted."""
        answer = self.post(path, data)
        assert answer.status_code == 200, message_in(answer)
        is_waiting = "Reading the file" in answer.text or "Looking for other waves" in answer.text
        return self.get(answer.url.raw_path.decode()) if is_waiting else answer.text

    def form(self, question):
        """Return the fields of a question's form as the page has them, by name; repeated ones as lists."""
        page = self.get(f"/data?edit={question}")
        start = page.index("data-editor>")
        return fields_in(page[start : page.index("</form>", start)])


def message_in(answer):
    """Return the reason of a refusal."""
    return re.sub("<[^>]*>", "", re.search(r'id="message".*', answer.text)[0])


def fields_in(form):
    """Return the values that a browser would send."""
    from html import unescape

    fields: dict[str, list[str]] = {}
    kinds = [r"<input([^>]*)>"]
    kinds += [rf'<{kind}[^>]* name="(\w+)"[^>]*>(.*?)</{kind}>' for kind in ("select", "textarea")]
    for match in re.finditer("|".join(kinds), form, re.DOTALL):
        attributes, select, options, area, text = match.groups()
        if attributes:
            if re.search('type="(checkbox|radio)"', attributes) and " checked" not in attributes:
                continue
            name = re.search(r'name="(\w+)"', attributes)[1]
            value = re.search(r'value="([^"]*)"', attributes)
            fields.setdefault(name, []).append(unescape(value[1]) if value else "on")
        elif select:
            chosen = re.search(r'<option(?: value="([^"]*)")? selected>([^<]*)', options)
            first = re.search(r'<option(?: value="([^"]*)")?>([^<]*)', options)
            value, words = (chosen or first).groups()
            fields.setdefault(select, []).append(unescape(words if value is None else value))
        else:
            fields.setdefault(area, []).append(unescape(text))
    return {name: values if len(values) > 1 else values[0] for name, values in fields.items()}


@pytest.fixture(autouse=True)
def _remembered_elsewhere(tmp_path_factory, monkeypatch):
    """Let the workbench remember changes in a folder of the test."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path_factory.mktemp("state")))


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "answers.csv").write_text(SURVEY, encoding="utf-8")
    return tmp_path


def app_of(project, **further):
    """Return the workbench of a project for one browser."""
    from semscale.workbench.access import Access, TokenAccess
    from semscale.workbench.application import workbench

    return Access(workbench(project, **further), rule=TokenAccess(TOKEN, PORT))


@pytest.fixture
def app(folder):
    from semscale.workbench.project import Project

    return app_of(Project.open(folder))


@pytest.fixture
def browser(app):
    return Browser(app)


class Workbench:
    """The command in a process of its own, with the example if no folder is named."""

    def __init__(self, folder=None, port=0, cwd=None) -> None:
        named = [] if folder is None else [str(folder)]
        command = [sys.executable, "-m", "semscale", "open", *named, "--no-browser", "--port", str(port)]
        self.process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, cwd=cwd)
        self.address = ""
        while "?token=" not in self.address:
            self.address = self.process.stderr.readline()
            assert self.address, "the command ended"
        self.address = "http" + self.address.partition("http")[2].strip()

    def end(self):
        """End the command as Ctrl-C does, and return its exit code."""
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(30)


@pytest.fixture
def workbench(folder):
    started = Workbench(folder)
    yield started
    if started.process.poll() is None:
        started.process.kill()
    started.process.communicate()


@pytest.fixture(scope="module")
def chromium():
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def new_page(chromium, workbench):
    """Open a page of its own; its requests elsewhere and errors are collected and must be none."""
    problems: list[str] = []
    contexts = []

    def open_page(expected=("422", "409"), **settings):
        context = chromium.new_context(**settings)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(_MILLISECONDS)
        origin = workbench.address.partition("/?")[0]

        def note(request):
            if not request.url.startswith((origin, "data:")):
                problems.append(request.url)

        page.on("request", note)
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on(
            "console",
            lambda line: (
                problems.append(line.text)
                if line.type == "error" and not any(status in line.text for status in expected)
                else None
            ),
        )
        page.goto(workbench.address)
        page.locator("header.bar").wait_for()  # which the page of the start lacks
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert not [problem for problem in problems if not problem.startswith(_LEFT)]


def check_for_barriers(page):
    """Check a page with axe, if that is installed."""
    if find_spec("axe_playwright_python") is not None:
        from axe_playwright_python.sync_playwright import Axe

        found = Axe().run(page)
        assert found.violations_count == 0, found.generate_report()
