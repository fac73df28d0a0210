"""A server with the interface of S3 on the loopback interface, in a process of its own."""

import subprocess
import sys
import time
import urllib.error
import urllib.request
from dataclasses import dataclass, field

SECRET = "not-to-be-shown"


@dataclass
class S3Server:
    """The server, what clients need to reach it, and what is in it.

    Attributes:
        url: its address.
        process: it.
    """

    url: str
    process: subprocess.Popen
    environment: dict = field(default_factory=dict)

    @property
    def system(self):
        """A client of the tests themselves."""
        import s3fs

        return s3fs.S3FileSystem(
            key="key",
            secret=SECRET,
            endpoint_url=self.url,
            use_listings_cache=False,
            skip_instance_cache=True,
        )

    def files(self, folder):
        """Contents by name, below a folder of a bucket."""
        client = self.system
        return {path.removeprefix(f"{folder}/"): client.cat_file(path) for path in client.find(folder)}


def environment_of(url):
    """Give the variables by which clients find a server."""
    return {
        "AWS_ENDPOINT_URL": url,
        "AWS_ACCESS_KEY_ID": "key",
        "AWS_SECRET_ACCESS_KEY": SECRET,
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_EC2_METADATA_DISABLED": "true",
    }


def start(port):
    """Start the server and wait until it answers."""
    command = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    server = S3Server(f"http://127.0.0.1:{port}", process)
    server.environment = environment_of(server.url)
    for _ in range(600):
        try:
            with urllib.request.urlopen(f"{server.url}/moto-api/", timeout=1):
                return server
        except (urllib.error.URLError, ConnectionError):
            if process.poll() is not None:
                raise RuntimeError("the S3 server did not start") from None
            time.sleep(0.05)
    raise RuntimeError("the S3 server did not answer")
