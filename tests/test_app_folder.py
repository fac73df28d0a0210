"""The folder for users without Python: its start file, what is left out, its licences, and its archive."""

import os
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

import app_folder
import try_app

on_posix = pytest.mark.skipif(os.name == "nt", reason="the start file is a script of the shell")

# Stands for Python: prints its working folder, the folder of models, and its arguments one per line.
FAKE_PYTHON = '#!/bin/sh\nprintf "%s\\n" "$PWD" "$SEMSCALE_MODELS" "$@"\n'
ISOLATED = ["-I", "-X", "utf8", "-m", "semscale"]
METADATA = "Metadata-Version: 2.4\nName: {name}\nVersion: 1.0\n{further}\n"


def write(path, text=""):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


@pytest.fixture
def folder(tmp_path):
    """Return a folder that looks like a built one, with a space in its path."""
    built = tmp_path / "My Programs" / "Semscale"
    write(built / "python" / "bin" / "python3", FAKE_PYTHON).chmod(0o755)
    app_folder.write_start_files(built, "Linux", "1.2.0")
    return built


@pytest.fixture
def start(folder, tmp_path):
    """Return what Python sees if the start file is called: the working folder, the models, the arguments."""
    home, work = tmp_path / "home", tmp_path / "work"
    home.mkdir()
    work.mkdir()

    def call(*arguments, **variables):
        environment = {"HOME": str(home), "PATH": str(tmp_path / "empty"), **variables}
        command = [str(folder / "Semscale"), *arguments]
        done = subprocess.run(command, cwd=work, env=environment, capture_output=True, text=True, check=True)
        where, models, *seen = done.stdout.splitlines()
        assert seen[:5] == ISOLATED
        return Path(where), Path(models), seen[5:]

    return call


@on_posix
class TestStartFile:
    def test_without_arguments_it_opens_the_workbench_in_the_home_folder(self, start, folder, tmp_path):
        assert start() == (tmp_path / "home", folder / "models", ["open"])

    @pytest.mark.parametrize("name", ["answers.csv", "my answers.csv", "./folder"])
    def test_a_file_or_folder_is_opened(self, start, tmp_path, name):
        write(tmp_path / "work" / name / "file" if name == "./folder" else tmp_path / "work" / name)
        where, _, arguments = start(name)
        assert (where, arguments) == (tmp_path / "work", ["open", name])

    def test_other_arguments_are_a_command(self, start, tmp_path):
        write(tmp_path / "work" / "answers.csv")
        command = ["rate", "answers.csv", "--text", "a b", "--where", "x > '1'"]
        assert start(*command)[2] == command
        assert start("--version")[2] == ["--version"]
        assert start("missing.csv")[2] == ["missing.csv"]

    def test_a_command_is_not_mistaken_for_a_folder_of_its_name(self, start, tmp_path):
        write(tmp_path / "work" / "scales" / "mine.yaml")
        assert start("scales")[2] == ["scales"]

    def test_models_of_the_user_come_first(self, start, tmp_path):
        assert start("open", SEMSCALE_MODELS=str(tmp_path))[1] == tmp_path

    def test_it_starts_from_its_own_folder(self, folder, tmp_path):
        done = subprocess.run(
            ["sh", "Semscale", "demo"],
            cwd=folder,
            env={"HOME": str(tmp_path)},
            capture_output=True,
            text=True,
            check=True,
        )
        assert done.stdout.splitlines()[1:] == [str(folder / "models"), *ISOLATED, "demo"]


@pytest.mark.parametrize("system", app_folder.START_FILES)
def test_each_system_has_a_start_file_and_a_page_that_names_it(tmp_path, system):
    app_folder.write_start_files(tmp_path, system, "1.2.0")
    name = app_folder.START_FILES[system]
    script, page = ((tmp_path / file).read_bytes() for file in (name, "README.txt"))
    is_windows = system == "Windows"
    for content in (script, page):
        assert content.count(b"\r\n") == (content.count(b"\n") if is_windows else 0)
    assert (b"xattr" in page, b"More info" in page) == (system == "Darwin", is_windows)
    assert name in page.decode()
    assert try_app.version_in(tmp_path) == "1.2.0"


def test_what_no_command_uses_is_left_out(tmp_path, monkeypatch):
    monkeypatch.setattr(app_folder, "IS_WINDOWS", False)
    library = tmp_path / "python" / "lib" / "python3.13"
    packages = library / "site-packages"
    kept = [
        tmp_path / "python" / "bin" / "python3.13",
        tmp_path / "python" / "lib" / "threading.py",  # where Windows has modules
        library / "os.py",
        packages / "numpy" / "core.py",
        packages / "openvino" / "libs" / "libopenvino_intel_cpu_plugin.so",
        packages / "openvino" / "libs" / "libopenvino_onnx_frontend.so.2641",
    ]
    unused = [
        tmp_path / "python" / "bin" / "pip3",
        tmp_path / "python" / "bin" / "semscale",
        tmp_path / "python" / "bin" / "python3.13-config",
        tmp_path / "python" / "include" / "Python.h",
        tmp_path / "python" / "lib" / "thread3.0.1" / "ttrace.tcl",
        library / "test" / "__pycache__" / "test_os.pyc",
        library / "__pycache__" / "os.pyc",
        packages / "numpy" / "linalg" / "tests" / "test_linalg.py",
        packages / "openvino" / "libs" / "libopenvino_intel_gpu_plugin.so",
        packages / "openvino" / "libs" / "libopenvino_tensorflow_lite_frontend.so.2641",
        packages / "openvino" / "libs" / "openvino_paddle_frontend.dll",
    ]
    for path in (*kept, *unused):
        write(path)
    app_folder.remove_unused(tmp_path)
    assert [path for path in (*kept, *unused) if path.exists()] == kept


def test_each_package_is_listed_with_its_licence(tmp_path, monkeypatch):
    monkeypatch.setattr(app_folder, "IS_WINDOWS", False)
    packages = tmp_path / "python" / "lib" / "python3.13" / "site-packages"
    classifier = "Classifier: License :: OSI Approved :: BSD License\nLicense: The text\n  of it"
    for name, further in (("b", "License-Expression: MIT"), ("A", classifier), ("c", "License: Apache 2.0")):
        write(packages / f"{name}-1.0.dist-info" / "METADATA", METADATA.format(name=name, further=further))
    write(packages / "b-1.0.dist-info" / "licenses" / "LICENSE")
    write(packages / "b-1.0.dist-info" / "RECORD", "b-1.0.dist-info/licenses/LICENSE,,\nb/licence.py,,\n")
    app_folder.write_licences(tmp_path)
    lines = (tmp_path / "LICENCES.txt").read_text("utf-8").splitlines()
    inside = "python/lib/python3.13/site-packages/b-1.0.dist-info"
    assert lines[-3:] == [
        "A 1.0: BSD License; no text in the package",
        f"b 1.0: MIT; {inside}",
        "c 1.0: Apache 2.0; licences/semscale.txt",
    ]
    named = {line.rpartition(" ")[2] for line in lines if "licences/" in line}
    assert named == {f"licences/{path.name}" for path in (tmp_path / "licences").iterdir()}


@on_posix
def test_the_archive_keeps_programs_and_links(folder, tmp_path):
    (folder / "python" / "bin" / "python").symlink_to("python3")
    archive = app_folder.pack(folder, tmp_path / app_folder.archive_name("1.2.0"))
    assert archive.name.startswith("semscale-1.2.0-")
    with tarfile.open(archive) as packed:
        assert packed.getmember("Semscale/Semscale").mode & 0o111
        assert packed.getmember("Semscale/python/bin/python").linkname == "python3"
        assert {(entry.uid, entry.uname) for entry in packed} == {(0, "")}


@on_posix
def test_a_python_that_cannot_be_moved_is_refused(folder):
    write(folder / "python" / "bin" / "python3", "#!/bin/sh\necho /usr/lib/libpython3.13.so.1.0\n")
    with pytest.raises(app_folder.BuildError, match=r"the copy of Python uses .*, so it cannot be moved"):
        app_folder.check_movable(folder)


@pytest.mark.exhaustive
@pytest.mark.needs("workbench")
@on_posix
def test_the_folder_starts_in_an_empty_home_without_programs(tmp_path):
    """Packages are those of this environment; ``make app`` tries a whole folder."""
    built = tmp_path / "Semscale"
    app_folder.copy_python(Path(sys.base_prefix), built)
    (built / "python" / "bin" / "python3").exists() or pytest.skip("this Python has no bin/python3")
    paths = [path for path in sys.path if path.endswith("site-packages")]
    source = str(Path(app_folder.ROOT, "src"))
    write(app_folder.packages_of(built) / "environment.pth", "\n".join([source, *paths, ""]))
    app_folder.remove_unused(built)
    app_folder.write_start_files(built, try_app.platform.system(), "1.2.0")
    home = tmp_path / "home"
    home.mkdir()
    page, _ = try_app.App(built, home).open()
    assert "devices.csv" in page
    assert shutil.which("python3", path=str(home / "empty")) is None
    assert sorted(path.name for path in home.iterdir() if not path.name.startswith(".")) == [
        *("browser", "empty", "opened", "semscale-demo", "work")
    ]
