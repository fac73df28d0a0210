"""The workbench answers one browser, and changes nothing for other pages or by GET."""

import pytest
from tests.workbench.conftest import PORT, TOKEN

OWN = {"Sec-Fetch-Site": "same-origin"}
FORM = {"file": "answers.csv"}


@pytest.fixture
def stranger(app):
    """A browser without the cookie."""
    from starlette.testclient import TestClient

    return TestClient(app, base_url=f"http://127.0.0.1:{PORT}")


def is_changed(folder):
    return (folder / "survey.yaml").exists()


def test_the_token_is_exchanged_for_a_strict_cookie_named_by_the_port(stranger):
    answer = stranger.get(f"/?token={TOKEN}")
    cookie = answer.headers["set-cookie"]
    assert cookie.startswith(f"semscale-{PORT}={TOKEN};")
    assert {"HttpOnly", "SameSite=strict", "Path=/"} <= {part.strip() for part in cookie.split(";")}
    # The address without the token is loaded by the page itself, so that a strict cookie is sent.
    assert 'http-equiv="refresh" content="0;url=/data"' in answer.text
    assert stranger.get("/data").status_code == 200


@pytest.mark.parametrize("path", ["/", "/data", "/?token=wrong", "/data/survey.yaml", "/?token=%C3%A4"])
def test_pages_need_the_token(stranger, path):
    answer = stranger.get(path)
    assert (answer.status_code, "set-cookie" in answer.headers) == (403, False)


def test_a_cookie_of_another_workbench_opens_nothing(stranger):
    stranger.cookies.set(f"semscale-{PORT + 1}", TOKEN)
    assert stranger.get("/data").status_code == 403


@pytest.mark.parametrize(
    "host", ["evil.example", f"evil.example:{PORT}", "127.0.0.1", f"127.0.0.1:{PORT + 1}", ""]
)
def test_a_foreign_host_is_refused_even_with_the_cookie(browser, host):
    assert browser.client.get("/data", headers={"Host": host}).status_code == 403
    assert browser.client.get("/static/workbench.js", headers={"Host": host}).status_code == 403


@pytest.mark.parametrize("host", [f"localhost:{PORT}", f"[::1]:{PORT}"])
def test_other_names_of_this_machine_are_accepted(stranger, host):
    headers = {"Host": host, "Cookie": f"semscale-{PORT}={TOKEN}"}
    assert stranger.get("/data", headers=headers).status_code == 200


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Sec-Fetch-Site": "none"},
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Origin": f"http://127.0.0.1:{PORT + 1}"},
        {"Sec-Fetch-Site": "same-origin", "Origin": "http://evil.example"},
    ],
)
def test_a_change_must_come_from_a_page_of_the_workbench(browser, folder, headers):
    assert browser.post("/data/file", FORM, headers=headers).status_code == 403
    assert not is_changed(folder)


@pytest.mark.parametrize("headers", [OWN, {"Origin": f"http://127.0.0.1:{PORT}"}])
def test_a_page_of_the_workbench_changes_something(browser, folder, headers):
    assert browser.post("/data/file", FORM, headers=headers).status_code == 200
    assert is_changed(folder)


def test_a_change_without_the_cookie_is_refused(stranger, folder):
    answer = stranger.post(f"/data/file?token={TOKEN}", data=FORM, headers=OWN)
    assert (answer.status_code, is_changed(folder)) == (403, False)


@pytest.mark.parametrize("path", ["upload", "file", "question", "rows", "join", "split", "undo"])
def test_nothing_changes_by_get(browser, folder, path):
    query = "?file=answers.csv&question=tea&where=age>30&join=tea&join=milk&name=a&expression=age"
    browser.client.get(f"/data/{path}{query}")
    assert not is_changed(folder)


def test_pages_load_nothing_from_elsewhere_and_run_no_script_of_texts(browser):
    policy = browser.client.get("/data").headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "script-src 'self';" in policy
    assert "frame-ancestors 'none'" in policy
    page = browser.get("/data")
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt; &amp; more" in page
    assert "http://" not in page
    assert "https://" not in page


def test_an_unknown_static_file_is_not_found(browser):
    assert browser.client.get("/static/..%2Fpages.py").status_code == 404
    assert browser.client.get("/static/htmx.LICENSE").status_code == 404


@pytest.mark.parametrize(
    ("path", "page"),
    [("/drift/decide", "/drift"), ("/answers/label", "/answers"), ("/data/undo", "/data")],
)
def test_an_address_that_takes_forms_leads_to_its_page(browser, path, page):
    answer = browser.client.get(path, follow_redirects=False)
    assert (answer.status_code, answer.headers["location"]) == (303, page)
    assert browser.get(path).startswith("<!DOCTYPE html>")
