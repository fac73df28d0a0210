"""The example of a reverse proxy in the documentation."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"


def test_the_documentation_shows_the_file():
    blocks = re.findall(r"```nginx\n(.*?)```", (DOCS / "serve.md").read_text(encoding="utf-8"), re.DOTALL)
    assert blocks == [(DOCS / "nginx.conf").read_text(encoding="utf-8")]


@pytest.mark.skipif(shutil.which("nginx") is None, reason="nginx is not installed: apt-get install nginx")
@pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl is not installed")
def test_nginx_accepts_the_file(tmp_path):
    key, certificate = tmp_path / "semscale.key", tmp_path / "semscale.crt"
    names = ["-keyout", str(key), "-out", str(certificate), "-subj", "/CN=semscale.example.org"]
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", *names], check=True, capture_output=True
    )
    content = (DOCS / "nginx.conf").read_text(encoding="utf-8").replace("/etc/nginx/", f"{tmp_path}/")
    configuration = tmp_path / "nginx.conf"
    # Paths that nginx creates at its start, for users who may not write below /var.
    kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    folders = "".join(f"{kind}_temp_path {tmp_path}/{kind};\n" for kind in kinds)
    paths = f"pid {tmp_path}/nginx.pid;\nerror_log {tmp_path}/error.log;\n"
    configuration.write_text(paths + content.replace("http {\n", f"http {{\naccess_log off;\n{folders}", 1))
    checked = subprocess.run(
        ["nginx", "-t", "-p", str(tmp_path), "-c", str(configuration)],
        check=False,
        capture_output=True,
        text=True,
    )
    assert checked.returncode == 0, checked.stderr
