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
from tests.embedding.random_checkpoint import write_random_checkpoint
from tests.faults.commands import phrase
from tests.faults.free_ports import free_port

from semscale.store.reading import open_table

pytestmark = pytest.mark.needs("cloud")

ROWS = 40
PART_ROWS = 4
ANSWERS = pl.DataFrame({"id": range(ROWS), "text": [phrase(row % 31) for row in range(ROWS)]})


@pytest.fixture(scope="module")
def server():
    from tests.store.places.s3_server import start

    started = start(free_port())
    client = started.system
    client.mkdir("answers")
    for number, start_row in enumerate(range(0, ROWS, 15)):
        with client.open(f"answers/rows/{number}.parquet", "wb") as target:
            ANSWERS.slice(start_row, 15).write_parquet(target)
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


def begin(server, *words, **environment):
    return subprocess.Popen(
        [sys.executable, "-m", "semscale", *map(str, words)],
        env={**os.environ, **server.environment, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def ended(process):
    out, err = process.communicate(timeout=120)
    return process.returncode, out, err


def embed(source, out, model, part_rows=PART_ROWS):
    return ["embed", source, "--text", "text", "--model", model, "--out", out, "--part-rows", part_rows]


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
def test_a_killed_run_goes_on_and_ends_as_one_that_was_not(server, bucket, model, source, out):
    code, _, err = ended(begin(server, *embed(source, f"s3://{bucket}/whole/{out}", model)))
    assert code == 0, err
    whole = server.files(f"{bucket}/whole")
    folder = f"{bucket}/killed/{out.rstrip('/')}" + ("" if out.endswith("/") else ".parts")
    for n in (2, 5):
        kill_after(begin(server, *embed(source, f"s3://{bucket}/killed/{out}", model)), server, folder, n)
    made = {name: content for name, content in server.files(folder).items() if name.endswith(".json")}
    code, _, err = ended(begin(server, *embed(source, f"s3://{bucket}/killed/{out}", model)))
    assert code == 0, err
    assert len(made) >= 3  # two parts and the manifest: something was there to go on with
    assert server.files(f"{bucket}/killed") == whole
    rows = open_through(server, f"s3://{bucket}/killed/{out}")
    assert rows["id"].cast(pl.Int64).to_list() == list(range(ROWS))


def open_through(server, url):
    with pytest.MonkeyPatch.context() as patch:
        for name, value in server.environment.items():
            patch.setenv(name, value)
        return pl.concat(open_table(url).batches(7))


@pytest.mark.parametrize(
    ("source", "out", "words"),
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
        ("s3://answers/mixed/", "s3://{}/v/", ["1.parquet does not fit to 0.parquet", "no column 'text'"]),
    ],
)
def test_what_cannot_be_read_or_written_is_said_in_one_line(server, bucket, model, source, out, words):
    client = server.system
    for number, title in enumerate(["text", "words"]):
        with client.open(f"answers/mixed/{number}.parquet", "wb") as target:
            pl.DataFrame({title: ["w1"]}).write_parquet(target)
    code, _, err = ended(begin(server, *embed(source, out.format(bucket), model)))
    assert code == 2
    assert len(err.splitlines()) == 1
    assert all(each in err for each in words), err
    assert server.environment["AWS_SECRET_ACCESS_KEY"] not in err
    assert client.find(bucket) == []


def test_wrong_credentials_are_said_and_not_shown(model):
    from tests.store.places.s3_server import start

    strict = start(free_port())
    try:
        strict.system.mkdir("answers")
        asking = urllib.request.Request(
            f"{strict.url}/moto-api/reset-auth", b"0", {"Content-Type": "text/plain"}
        )
        urllib.request.urlopen(asking).close()  # from now on it asks who it is
        code, _, err = ended(begin(strict, *embed("s3://answers/rows.csv", "vectors.parquet", model)))
    finally:
        strict.process.kill()
        strict.process.wait()
    assert code == 2
    assert "s3://answers/rows.csv cannot be read" in err
    assert "check the credentials" in err
    assert strict.environment["AWS_SECRET_ACCESS_KEY"] not in err


def reader_of(server, bucket):
    """Give the server a user who may read one bucket and nothing else, and ask for rights from now on."""
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
    asking = urllib.request.Request(f"{server.url}/moto-api/reset-auth", b"0", {"Content-Type": "text/plain"})
    urllib.request.urlopen(asking).close()
    return {"AWS_ACCESS_KEY_ID": key["AccessKeyId"], "AWS_SECRET_ACCESS_KEY": key["SecretAccessKey"]}


@pytest.mark.parametrize("out", ["vectors/", "vectors.parquet"])
def test_a_bucket_that_may_only_be_read_is_refused_before_any_work(model, tmp_path, out):
    from tests.store.places.s3_server import start

    strict = start(free_port())
    try:
        strict.system.mkdir("answers")
        with strict.system.open("answers/rows.csv", "wb") as target:
            ANSWERS.write_csv(target)
        before = strict.files("answers")
        reader = reader_of(strict, "answers")
        words = embed("s3://answers/rows.csv", f"s3://answers/{out}", model)
        code, _, err = ended(begin(strict, *words, **reader))
        here = embed("s3://answers/rows.csv", tmp_path / "vectors.parquet", model)
        may_read = ended(begin(strict, *here, **reader))
    finally:
        strict.process.kill()
        strict.process.wait()
    assert may_read[0] == 0, may_read[2]
    assert code == 2
    assert len(err.splitlines()) == 1
    assert f"s3://answers/{out} cannot be written" in err
    assert "check the credentials of this machine and what they may do" in err
    assert reader["AWS_SECRET_ACCESS_KEY"] not in err
    assert before.keys() == {"rows.csv"}


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
    words = [*embed("s3://answers/rows/", out, model, part_rows=5), "--restart"]
    assert ended(begin(server, *words))[0] == 0
    assert len(server.files(f"{bucket}/vectors")) == ROWS // 5 + 1
