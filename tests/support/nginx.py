"""What tests need to run nginx with configurations of the documentation."""

import shutil
import subprocess

import pytest

needs_nginx = pytest.mark.skipif(
    None in (shutil.which("nginx"), shutil.which("openssl")),
    reason="nginx or openssl is missing: apt-get install nginx openssl, brew install nginx openssl, or "
    "nginx.org/en/download.html",
)
"""Mark of tests that need nginx and a certificate."""


def write_certificate(key, certificate, host):
    """Write a key and a certificate of a host that it signs itself."""
    names = ["-keyout", str(key), "-out", str(certificate), "-subj", f"/CN={host}"]
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", *names], check=True, capture_output=True
    )


def own_paths(folder):
    """Return lines before and inside of ``http`` for users who may not write below /var."""
    kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    folders = "".join(f"{kind}_temp_path {folder}/{kind};\n" for kind in kinds)
    return f"pid {folder}/nginx.pid;\nerror_log {folder}/error.log;\n", f"access_log off;\n{folders}"
