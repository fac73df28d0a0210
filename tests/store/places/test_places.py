"""Places of files: URLs without secrets, file systems, copies, outputs, and files of runs."""

import gc
from pathlib import Path

import fsspec
import pytest

from semscale.errors import InputError, MissingExtraError, UnreachableError
from semscale.store.expressions import filter_table
from semscale.store.places import (
    OutputPlace,
    check_target,
    explain_errors,
    fetch,
    files_of,
    identity,
    is_url,
    open_filesystem,
    redact,
    refuse_folder,
    scheme_of,
    target_of,
    url_name,
)
from semscale.store.reading import open_table


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("s3://b/x.parquet", True),
        ("https://h/x.csv", True),
        ("x.parquet", False),
        ("C:\\x.csv", False),
        ("folder/x://y", False),
        ("-", False),
    ],
)
def test_what_is_a_url(text, expected):
    assert is_url(text) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("s3://key:SECRET@b/x.parquet", "s3://b/x.parquet"),
        ("https://ann:SEC@RET@h/x.csv", "https://h/x.csv"),
        ("https://h/x.csv?X-Amz-Signature=SECRET&a=1", "https://h/x.csv?..."),
        ("https://h/x.csv#SECRET", "https://h/x.csv?..."),
        ("https://u:SECRET@h?key=SECRET", "https://h?..."),
        (
            "no answer from https://u:SECRET@h/a?k=SECRET, tried twice",
            "no answer from https://h/a?... tried twice",
        ),
        ("'https://h/a?k=SECRET' failed", "'https://h/a?...' failed"),
        ("a@b.com is no URL", "a@b.com is no URL"),
        ("s3://b/a@b.parquet", "s3://b/a@b.parquet"),
    ],
)
def test_secrets_are_not_shown(text, expected):
    assert redact(text) == expected


def test_parts_of_a_url():
    assert scheme_of("GS://b/x") == "gs"
    assert url_name("https://u:p@h/a/b.csv?k=/c.csv") == "b.csv"
    assert url_name("s3://b/rated/") == "rated"


URL = "s3://ann:hidden@bucket/a.csv?key=hidden"


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (
            FileNotFoundError("bucket/a.csv"),
            r"read \(it does not exist\); check the name, and that its bucket",
        ),
        (PermissionError("Forbidden"), r"read \(Forbidden\); check the credentials"),
        (TimeoutError(), r"read \(TimeoutError\); check the name, the network"),
        (ValueError(f"bad {URL}"), r"read \(bad s3://bucket/a.csv\?...\)"),
        (ValueError("x" * 500), r"x{200}\.\.\.\); check"),
    ],
)
def test_unreachable_url_message_names_the_cause_without_secrets(error, message):
    with pytest.raises(UnreachableError, match=message) as caught, explain_errors(URL, "read"):
        raise error
    assert "hidden" not in str(caught.value)


def test_errors_of_semscale_pass():
    with pytest.raises(InputError, match="^another$"), explain_errors(URL, "read"):
        raise InputError("another")


@pytest.mark.parametrize(
    ("url", "module", "error", "message"),
    [
        ("s3://b/x.csv", "s3fs", MissingExtraError, r'pip install "semscale\[cloud\]"'),
        ("gs://b/x.csv", "gcsfs", InputError, "gs://b/x.csv needs a package.*: pip install gcsfs"),
        ("az://b/x.csv", "adlfs", InputError, "az://b/x.csv needs a package.*: pip install adlfs"),
    ],
)
def test_a_package_that_is_missing_is_named(monkeypatch, url, module, error, message):
    def missing(*_, **__):
        raise ImportError(f"Install {module}")

    monkeypatch.setattr("fsspec.core.url_to_fs", missing)
    with pytest.raises(error, match=message):
        open_filesystem(url, "read")


def test_a_copy_has_the_name_and_progress_the_bytes(tmp_path):
    system = fsspec.filesystem("memory")
    content = bytes(range(256)) * 8192  # 2 MiB: two blocks
    system.pipe_file("/bucket/answers.csv", content)
    events = []
    copy = fetch(
        "memory://bucket/answers.csv",
        system,
        "/bucket/answers.csv",
        tmp_path,
        lambda *step: events.append(step),
    )
    assert (copy.name, copy.read_bytes()) == ("answers.csv", content)
    stage = "fetching memory://bucket/answers.csv"
    assert events == [(stage, 1 << 20, 1 << 21), (stage, 1 << 21, 1 << 21)]
    system.rm("/bucket", recursive=True)
    with pytest.raises(UnreachableError, match="it does not exist"):
        fetch("memory://bucket/answers.csv", system, "/bucket/answers.csv", tmp_path, None)


def test_another_size_hash_or_time_is_another_file():
    known = {"size": 3, "ETag": "a", "LastModified": "1"}
    assert identity(known) == identity({**known, "LastModified": "2", "name": "copy"})  # the hash decides
    assert identity(known) != identity({**known, "size": 4})
    assert identity({"size": 3, "mtime": 1.0}) != identity({"size": 3, "mtime": 2.0})


@pytest.mark.exhaustive
def test_the_copy_stays_as_long_as_a_table_reads_it():
    system = fsspec.filesystem("memory")
    system.pipe_file("/bucket/answers.csv", b"n,word\n1,a\n2,b\n3,c\n")
    table = filter_table(open_table("memory://bucket/answers.csv"), "n >= 2")  # the table before is gone
    gc.collect()
    copy = table.path
    assert [batch["word"].to_list() for batch in table.batches(9)] == [["b", "c"]]
    del table
    gc.collect()
    assert not copy.exists()
    system.rm("/bucket", recursive=True)


def test_what_is_a_file_a_folder_and_a_url(tmp_path):
    assert target_of("rated.csv") == Path("rated.csv")
    assert target_of(Path("rated")) == Path("rated")
    assert target_of(f"file://{tmp_path.as_posix()}/a%20b.csv") == tmp_path / "a b.csv"
    assert target_of("rated/") == OutputPlace("rated/", is_folder=True)
    assert target_of("s3://b/rated/") == OutputPlace("s3://b/rated/", is_folder=True)
    target = target_of("s3://key:hidden@b/rated.csv")
    assert (str(target), target.name, target.suffix) == ("s3://b/rated.csv", "rated.csv", ".csv")
    assert target_of("s3://b/rated/").suffix == ".parquet"


def test_folder_is_refused_where_a_file_is_written():
    refuse_folder(target_of("s3://b/rated.csv"))
    with pytest.raises(InputError, match="must be a file here, got the folder rated/"):
        refuse_folder(target_of("rated/"))


def test_unwritable_targets_are_refused(tmp_path):
    (tmp_path / "file").write_text("x")
    check_target(target_of(f"{tmp_path}/new/"), "out")
    check_target(target_of("memory://bucket/rated/"), "out")
    for text, message in [
        (f"{tmp_path}/file/", "out must be a folder, but .* is a file"),
        (f"{tmp_path}/none/new/", "the folder .* does not exist"),
        ("https://localhost:1/rated.csv", "can only be read"),
    ]:
        with pytest.raises(InputError, match=message):
            check_target(target_of(text), "out")


@pytest.fixture(params=["local", "memory"])
def files(request, tmp_path):
    if request.param == "local":
        (tmp_path / "rated").mkdir()
        yield files_of(target_of(f"{tmp_path}/rated/"))
        return
    yield files_of(target_of("memory://bucket/rated/"))
    if fsspec.filesystem("memory").exists("/bucket"):
        fsspec.filesystem("memory").rm("/bucket", recursive=True)


def test_files_are_written_read_replaced_and_removed(files, tmp_path):
    assert (files.names(), files.read("a.json")) == (set(), None)
    files.write("work/a.json", b"one")
    files.write("work/a.json", b"two")
    with files.writing("b.parquet") as path:
        path.write_bytes(b"three")
    with pytest.raises(FileNotFoundError), files.writing("c.parquet") as path:
        path.rename(tmp_path / "elsewhere")
    assert files.names() == {"work/a.json", "b.parquet"}
    assert (files.read("work/a.json"), files.read("b.parquet")) == (b"two", b"three")
    with files.local("b.parquet") as path:
        assert path.read_bytes() == b"three"
    files.remove("work/a.json")
    files.remove("work/a.json")
    assert files.names() == {"b.parquet"}


def test_a_file_behind_a_url_has_its_parts_beside_it():
    assert files_of(target_of("memory://bucket/rated.csv")).url == "memory://bucket/rated.csv.parts"
