"""A full disk under the folder of jobs: uploads are refused, a job says so, and all else goes on."""

import pytest
from made_services import Client, loaded_service
from small_disk import LARGE, can_mount, small_disk

TABLE = f"comment,picture\nThe room was clean.,{'x' * 600_000}\n"


@pytest.mark.skipif(not can_mount(), reason="needs the right to mount a file system: run it as root")
def test_an_upload_that_finds_no_room_is_refused_and_leaves_no_files(engine, tmp_path):
    from semscale.serving.application import application

    with small_disk(tmp_path / "disk") as disk:
        service = loaded_service(engine, home=disk.folder / "jobs")
        client = Client(application(service))
        disk.leave(200_000)
        answer = client.post("/jobs?kind=embed&text=comment", content=TABLE)
        assert answer.status_code == 507
        assert "the disk of the service is full" in answer.json()["error"]["message"]
        assert client.get("/jobs").json() == {"jobs": []}
        assert [path for path in (disk.folder / "jobs").iterdir() if path.is_dir()] == []
        assert client.post("/rate", json={"texts": ["Never."]}).status_code == 200
        disk.leave(LARGE)
        assert client.post("/jobs?kind=embed&text=comment", content=TABLE).status_code == 202
        service.close()
