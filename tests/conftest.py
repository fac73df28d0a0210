"""Fixtures that the tests of several packages use."""

import os
import re
import shutil
import tempfile
import tomllib
import uuid
import warnings
import zlib
from collections.abc import Callable, Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path

import hypothesis
import numpy as np
import pytest

from semscale.embedding.embedder import Embeddings
from semscale.errors import MissingExtraError
from semscale.extras import EXTRAS, require
from semscale.signature import Signature
from semscale.types import Progress

pytest_plugins = ["pytester", "tests.support.command_fixtures"]

# The time of an example depends on the machine and on other processes of the tests.
# Inputs are the same at each run, so that a change alone makes a test fail; "search" draws others.
hypothesis.settings.register_profile("semscale", deadline=None, derandomize=True)
hypothesis.settings.register_profile("search", deadline=None, max_examples=1_000)
hypothesis.settings.load_profile("semscale")

PROJECT_FILE = Path(__file__).parents[1] / "pyproject.toml"

HOW_TO_GET_POSTGRES = "pip install pgserver, or name a server whose user may create databases: SEMSCALE_TEST_POSTGRES=postgresql://..."


def pytest_addoption(parser) -> None:
    """Add the option ``--extra``, such as ``--extra torch``, which runs the tests of one extra only."""
    parser.addoption("--extra", choices=sorted(EXTRAS), help="run only tests that need this extra")


def extras_beyond_the_developers_environment() -> set[str]:
    """Return the extras that the group ``dev`` of ``pyproject.toml`` lacks: `make test-all` installs them."""
    groups = tomllib.loads(PROJECT_FILE.read_text(encoding="utf-8"))["dependency-groups"]
    (installed,) = (line for line in groups["dev"] if line.startswith("semscale["))
    return set(EXTRAS) - set(re.findall(r"\w+", installed))


def pytest_collection_modifyitems(config, items) -> None:
    """Mark tests of large extras as exhaustive, and select those of the requested extra.

    The hooks of folders, which mark their tests, run before this one; the selection by ``-m`` runs after it.
    """
    extra, large_extras = config.getoption("--extra"), extras_beyond_the_developers_environment()
    selected = []
    for item in items:
        needed = {name for mark in item.iter_markers("needs") for name in mark.args}
        if needed & large_extras:
            item.add_marker("exhaustive")
        if "ray" in needed:
            item.add_marker("ray")
        if extra is None or extra in needed:
            selected.append(item)
    if extra is not None:
        config.hook.pytest_deselected(items=list(set(items) - set(selected)))
    items[:] = selected


def pytest_runtest_setup(item) -> None:
    """Skip a test that needs an extra that is not installed, or a GPU; the reason states the remedy."""
    if item.get_closest_marker("gpu") and not has_gpu():
        pytest.skip("no GPU that PyTorch sees: run it on a machine with one, and a build of torch for CUDA")
    for mark in item.iter_markers("needs"):
        try:
            require(*mark.args)
        except MissingExtraError as error:
            pytest.skip(str(error))


def has_gpu() -> bool:
    """Tell whether PyTorch is installed and finds a GPU."""
    if find_spec("torch") is None:
        return False
    import torch

    return torch.cuda.is_available()


class ToyEmbedder:
    """Embeds texts as bags of hashed words: fast and deterministic, with equal vectors for equal texts."""

    def __init__(self, dimensions: int = 64) -> None:
        self.dimensions = dimensions
        self.embedded: list[str] = []

    @property
    def signature(self) -> Signature:
        return Signature.of("embed", model="toy", dimensions=self.dimensions)

    def embed(self, texts: Sequence[str], *, progress: Progress | None = None) -> Embeddings:
        self.embedded.extend(texts)
        vectors = np.full((len(texts), self.dimensions), 1e-3)
        for row, text in enumerate(texts):
            for word in text.lower().split():
                vectors[row, zlib.crc32(word.strip(".,!?").encode()) % self.dimensions] += 1
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        if progress:
            progress("embedding", len(texts), len(texts))
        return Embeddings(vectors.astype(np.float32), np.ones(len(texts), dtype=np.int64))


@pytest.fixture(scope="session", autouse=True)
def parts_key():
    """Sign finished parts with a secret of the tests, also in other processes, not with that of the user."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SEMSCALE_PARTS_KEY", "the secret of all tests")
        yield


@pytest.fixture(scope="session", autouse=True)
def compiled_once():
    """Compile each layer of a default model once per run; later embedders reuse the compiled model."""
    from semscale.embedding.openvino import OpenVinoEmbedder
    from semscale.weights.known import DEFAULT_MODEL, DEFAULT_RATING_MODEL

    compiled, compile_it = {}, OpenVinoEmbedder._pipeline

    def pipeline(self, layer, arithmetic):
        if self.name not in {DEFAULT_MODEL, DEFAULT_RATING_MODEL}:
            return compile_it(self, layer, arithmetic)
        key = (self.signature, layer, arithmetic)
        if key not in compiled:
            compiled[key] = compile_it(self, layer, arithmetic)
        return compiled[key]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(OpenVinoEmbedder, "_pipeline", pipeline)
        yield


@pytest.fixture
def toy_embedder() -> ToyEmbedder:
    return ToyEmbedder()


@pytest.fixture(scope="session")
def embedder():
    """Return the real all-MiniLM-L6-v2; its weights are downloaded once, as for any user."""
    from semscale.embedding import load_embedder

    return load_embedder("all-MiniLM-L6-v2")


@pytest.fixture(scope="session")
def rating_embedder():
    """Return the real default model of ratings, e5-small."""
    from semscale.embedding import load_embedder
    from semscale.weights.known import DEFAULT_RATING_MODEL

    return load_embedder(DEFAULT_RATING_MODEL)


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str]:
    """Yield the URL of a PostgreSQL server: that in SEMSCALE_TEST_POSTGRES, or a server for these tests."""
    try:
        require("postgres")
    except MissingExtraError as error:
        pytest.skip(str(error))
    if named := os.environ.get("SEMSCALE_TEST_POSTGRES"):
        yield named
        return
    folder = tempfile.mkdtemp(prefix="semscale-pg-")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about folders of this machine that pgserver could use
        try:
            import pgserver

            server = pgserver.get_server(folder, cleanup_mode="delete")
        except Exception as error:  # whatever keeps it from running here
            shutil.rmtree(folder, ignore_errors=True)
            pytest.skip(f"no PostgreSQL here ({type(error).__name__}: {error}): {HOW_TO_GET_POSTGRES}")
    try:
        # No test cuts the power, so writes need not wait for the disk.
        on_server(server.get_uri(), "ALTER SYSTEM SET fsync = off")
        on_server(server.get_uri(), "SELECT pg_reload_conf()")
        yield server.get_uri()
    finally:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            server.cleanup()


@pytest.fixture
def new_database(postgres_server) -> Iterator[Callable[..., str]]:
    """Yield a function that creates empty databases on the PostgreSQL server, removed after the test."""
    created: list[str] = []

    def make(encoding: str = "UTF8") -> str:
        name = f"semscale_test_{uuid.uuid4().hex[:12]}"
        on_server(
            postgres_server, f"CREATE DATABASE {name} ENCODING '{encoding}' LOCALE 'C' TEMPLATE template0"
        )
        created.append(name)
        from sqlalchemy.engine import make_url

        return make_url(postgres_server).set(database=name).render_as_string(hide_password=False)

    yield make
    for name in created:
        on_server(postgres_server, f"DROP DATABASE {name} WITH (FORCE)")


def on_server(url: str, statement: str) -> None:
    """Run a statement on a server outside any transaction, such as the creation of a database."""
    from semscale.store.databases.address import read_address
    from semscale.store.databases.postgres import postgres_engine

    engine = postgres_engine(read_address(url, "the tests' server"))
    try:
        with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            connection.exec_driver_sql(statement)
    finally:
        engine.dispose()
