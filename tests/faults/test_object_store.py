"""Commands whose files lie on an object store: killed in the middle, and refused in one sentence."""

import json
import os
import signal
import subprocess
import sys
import time
import urllib.request

import polars as pl
import pytest
from tests.support.commands import phrase
from tests.support.free_ports import free_port
from tests.support.random_checkpoint import write_random_checkpoint

from semscale.store.reading import open_table

pytestmark = [pytest.mark.needs("cloud"), pytest.mark.exhaustive]

ROWS = 30
PART_ROWS = 4
ANSWERS = pl.DataFrame({"id": range(ROWS), "text": [phrase(row % 23) for row in range(ROWS)]})


@pytest.fixture(scope="module")
def server():
    from tests.store.places.s3_server import start

    started = start(free_port())
    client = started.system
    client.mkdir("answers")
    for number, start_row in enumerate(range(0, ROWS, 12)):
        with client.open(f"answers/rows/{number}.parquet", "wb") as target:
            ANSWERS.slice(start_row, 12).write_parquet(target)
    with client.open("answers/rows.csv", "wb") as target:
        ANSWERS.write_csv(target)
    yield started
    started.process.kill()
    started.process.wait()


@pytest.fixture
def bucket(server, request):
    name = f"b{abs(hash(request.node.nodeid))}"
    server.system.mkdir(name)
    return name


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    folder = tmp_path_factory.mktemp("models") / "model"
    write_random_checkpoint(folder, "bert")
    return folder


def begin(server, *terms, **environment):
    return subprocess.Popen(
        [sys.executable, "-m", "semscale", *map(str, terms)],
        env={**os.environ, **server.environment, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def ended(process):
    out, err = process.communicate(timeout=120)
    return process.returncode, out, err


def embed(source, out, model, part_rows=PART_ROWS):
    return ["embed", source, "--text", "text", "--embedder", model, "--out", out, "--part-rows", part_rows]


def kill_after(process, server, folder, n):
    """Kill a run once it has finished n parts."""
    client = server.system
    while process.poll() is None:
        if sum(name.endswith(".json") and "part-" in name for name in client.find(folder)) >= n:
            break
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    return ended(process)


@pytest.mark.parametrize(
    ("source", "out"), [("s3://answers/rows/", "vectors/"), ("s3://answers/rows.csv", "vectors.parquet")]
)
def test_killed_run_resumes_with_the_same_result_as_an_unbroken_run(server, bucket, model, source, out):
    code, _, err = ended(begin(server, *embed(source, f"s3://{bucket}/whole/{out}", model)))
    assert code == 0, err
    whole = server.files(f"{bucket}/whole")
    folder = f"{bucket}/killed/{out.rstrip('/')}" + ("" if out.endswith("/") else ".parts")
    for n in (1, 3):  # of 8 parts: a run that is near its end may end before the signal
        kill_after(begin(server, *embed(source, f"s3://{bucket}/killed/{out}", model)), server, folder, n)
    documents = {name: content for name, content in server.files(folder).items() if name.endswith(".json")}
    code, _, err = ended(begin(server, *embed(source, f"s3://{bucket}/killed/{out}", model)))
    assert code == 0, err
    assert len(documents) >= 3  # two parts and the manifest: something was there to go on with
    assert server.files(f"{bucket}/killed") == whole
    rows = open_through(server, f"s3://{bucket}/killed/{out}")
    assert rows["id"].cast(pl.Int64).to_list() == list(range(ROWS))


def open_through(server, url):
    with pytest.MonkeyPatch.context() as patch:
        for name, value in server.environment.items():
            patch.setenv(name, value)
        return pl.concat(open_table(url).batches(7))


@pytest.mark.parametrize(
    ("source", "out", "terms"),
    [
        (
            "s3://answers/none.parquet",
            "s3://{}/v/",
            ["s3://answers/none.parquet cannot be read", "does not exist"],
        ),
        (
            "s3://answers/rows/",
            "s3://no-such-bucket-here/v/",
            ["s3://no-such-bucket-here/v/ cannot be written"],
        ),
        ("s3://no-such-bucket-here/rows/", "s3://{}/v/", ["s3://no-such-bucket-here/rows/ cannot be read"]),
        (
            "s3://answers/mixed/",
            "s3://{}/v/",
            ["1.parquet has other columns than 0.parquet", "no column 'text'"],
        ),
    ],
)
def test_unreadable_source_or_output_is_reported_in_a_single_line(server, bucket, model, source, out, terms):
    client = server.system
    for number, title in enumerate(["text", "words"]):
        with client.open(f"answers/mixed/{number}.parquet", "wb") as target:
            pl.DataFrame({title: ["w1"]}).write_parquet(target)
    code, _, err = ended(begin(server, *embed(source, out.format(bucket), model)))
    assert code == 2
    assert len(err.splitlines()) == 1
    assert all(term in err for term in terms), err
    assert server.environment["AWS_SECRET_ACCESS_KEY"] not in err
    assert client.find(bucket) == []


@pytest.fixture(scope="module")
def strict_server():
    """A server that asks for rights, and the credentials of a user who may read one bucket alone."""
    from tests.store.places.s3_server import start

    started = start(free_port())
    try:
        started.system.mkdir("answers")
        with started.system.open("answers/rows.csv", "wb") as target:
            ANSWERS.write_csv(target)
        reader = reader_of(started, "answers")
        ask_for_rights(started)
        yield started, reader
    finally:
        started.process.kill()
        started.process.wait()


def reader_of(server, bucket):
    """Give the server a user who may read one bucket and nothing else."""
    import boto3

    iam = boto3.client(
        "iam",
        endpoint_url=server.url,
        region_name="us-east-1",
        aws_access_key_id="key",
        aws_secret_access_key="secret",
    )
    iam.create_user(UserName="reader")
    rights = {
        "Effect": "Allow",
        "Action": ["s3:GetObject", "s3:ListBucket"],
        "Resource": [f"arn:aws:s3:::{bucket}", f"arn:aws:s3:::{bucket}/*"],
    }
    policy = {"Version": "2012-10-17", "Statement": [rights]}
    iam.put_user_policy(UserName="reader", PolicyName="reads", PolicyDocument=json.dumps(policy))
    key = iam.create_access_key(UserName="reader")["AccessKey"]
    return {"AWS_ACCESS_KEY_ID": key["AccessKeyId"], "AWS_SECRET_ACCESS_KEY": key["SecretAccessKey"]}


def ask_for_rights(server):
    """Have the server ask everybody for their rights from now on."""
    asking = urllib.request.Request(f"{server.url}/moto-api/reset-auth", b"0", {"Content-Type": "text/plain"})
    urllib.request.urlopen(asking).close()


def test_wrong_credentials_are_reported_without_showing_them(strict_server, model, tmp_path):
    strict, _ = strict_server
    terms = embed("s3://answers/rows.csv", tmp_path / "vectors.parquet", model)
    code, _, err = ended(begin(strict, *terms))
    assert code == 2
    assert "s3://answers/rows.csv cannot be read" in err
    assert "check the credentials" in err
    assert strict.environment["AWS_SECRET_ACCESS_KEY"] not in err


@pytest.mark.parametrize("out", ["vectors/", "vectors.parquet"])
def test_a_bucket_that_may_only_be_read_is_refused_before_any_work(strict_server, model, out):
    strict, reader = strict_server
    terms = embed("s3://answers/rows.csv", f"s3://answers/{out}", model)
    code, _, err = ended(begin(strict, *terms, **reader))
    assert code == 2
    assert len(err.splitlines()) == 1
    assert f"s3://answers/{out} cannot be written" in err
    assert "check the credentials of this machine and their permissions" in err
    assert reader["AWS_SECRET_ACCESS_KEY"] not in err
    import s3fs

    key, secret = reader["AWS_ACCESS_KEY_ID"], reader["AWS_SECRET_ACCESS_KEY"]
    client = s3fs.S3FileSystem(key=key, secret=secret, endpoint_url=strict.url, skip_instance_cache=True)
    assert client.find("answers") == ["answers/rows.csv"]


def test_a_user_who_may_only_read_a_bucket_reads_it(strict_server, model, tmp_path):
    strict, reader = strict_server
    here = embed("s3://answers/rows.csv", tmp_path / "vectors.parquet", model)
    code, _, err = ended(begin(strict, *here, **reader))
    assert code == 0, err


def test_secrets_in_a_url_are_not_shown(server, bucket, model):
    out = f"s3://key:SeCrEt@{bucket}/v/"
    code, _, err = ended(begin(server, *embed("s3://answers/rows/", out, model)))
    assert code == 2
    assert f"s3://{bucket}/v/ cannot be written" in err
    assert "SeCrEt" not in err


def test_the_output_of_another_run_is_refused(server, bucket, model):
    out = f"s3://{bucket}/vectors/"
    assert ended(begin(server, *embed("s3://answers/rows/", out, model)))[0] == 0
    before = server.files(f"{bucket}/vectors")
    code, _, err = ended(begin(server, *embed("s3://answers/rows/", out, model, part_rows=5)))
    assert code == 2
    assert f"{out} holds the output of another run that differs (part_rows was 4, now 5)" in err
    assert "--restart" in err
    assert server.files(f"{bucket}/vectors") == before
    terms = [*embed("s3://answers/rows/", out, model, part_rows=5), "--restart"]
    assert ended(begin(server, *terms))[0] == 0
    assert len(server.files(f"{bucket}/vectors")) == ROWS // 5 + 1
