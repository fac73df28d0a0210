"""A project with a small survey, and a browser without JavaScript that has opened the workbench."""

import re

import pytest

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

    def get(self, path):
        """Load a page; one that waits for its file loads itself again, as a browser does."""
        answer = self.client.get(path)
        while "Reading the file" in answer.text:
            answer = self.client.get(path)
        assert answer.status_code == 200, answer.text[-2000:]
        return answer.text

    def post(self, path, data=(), headers=None, **further):
        headers = {"Sec-Fetch-Site": "same-origin"} if headers is None else headers
        return self.client.post(path, data=dict(data), headers=headers, **further)

    def change(self, path, data=()):
        """Send a form, which must be accepted."""
        answer = self.post(path, data)
        assert answer.status_code == 200, message_in(answer)
        return answer.text

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
            if 'type="checkbox"' in attributes and " checked" not in attributes:
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


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "answers.csv").write_text(SURVEY, encoding="utf-8")
    return tmp_path


@pytest.fixture
def app(folder):
    from semscale.workbench.application import workbench
    from semscale.workbench.project import Project

    return workbench(Project.open(folder), token=TOKEN, port=PORT)


@pytest.fixture
def browser(app):
    return Browser(app)
