"""Installations of every kind: from the sdist, without a compiler, in a folder nobody may write."""

import email
import os
import platform
import re
import shutil
import subprocess
import sys
import tarfile
import venv
import zipfile
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[2]
LIBRARY = "s2fs/_native/libs2fs_engine_baseline"

pytestmark = pytest.mark.long


#: Of the tests, not of the machine they run on: a CI job may ask for the native library.
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "S2FS_REQUIRE_NATIVE"}
ENVIRONMENT["SOURCE_DATE_EPOCH"] = "1700000000"


def run(*command, env=ENVIRONMENT, fails=False, **options):
    """Run a command; returns what it printed, and shows it if the command fails."""
    done = subprocess.run(
        list(map(str, command)), capture_output=True, text=True, check=False, env=env, **options
    )
    assert (done.returncode != 0) == fails, done.stdout + done.stderr
    return done.stdout, done.stderr


def pip(*arguments, **options):
    return run(sys.executable, "-m", "pip", "--disable-pip-version-check", *arguments, **options)


def built_sdist(folder):
    """Build the source distribution; returns its path."""
    run(sys.executable, "-m", "build", "--sdist", "--outdir", folder, ROOT)
    (sdist,) = folder.glob("*.tar.gz")
    return sdist


@pytest.fixture(scope="module")
def sdist(tmp_path_factory):
    return built_sdist(tmp_path_factory.mktemp("sdist"))


@pytest.fixture(scope="module")
def checkout(sdist, tmp_path_factory):
    """The files of the sdist as a folder, without any library built before."""
    folder = tmp_path_factory.mktemp("checkout")
    with tarfile.open(sdist) as archive:
        archive.extractall(folder, filter="data")
    return folder / sdist.name.removesuffix(".tar.gz")


@pytest.fixture(scope="module")
def without_compiler(tmp_path_factory):
    """An environment whose PATH leads to CMake and Ninja, but to no compiler."""
    folder = tmp_path_factory.mktemp("bin")
    for tool in filter(shutil.which, ("cmake", "ninja")):
        (folder / tool).symlink_to(shutil.which(tool))
    return {**ENVIRONMENT, "PATH": str(folder), "CC": "", "CXX": ""}


def built(checkout, folder, **options):
    """Build a wheel; returns its path and the native libraries inside."""
    pip("wheel", "--no-deps", "--wheel-dir", folder, checkout, **options)
    (wheel,) = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    assert not [name for name in names if name.endswith((".cpp", ".hpp", ".h"))]
    return wheel, [name for name in names if name.startswith("s2fs/_native/libs2fs")]


def installed(wheel, folder):
    """Install a wheel beside our own packages, whose s2fs it hides; returns its Python."""
    venv.create(folder, with_pip=False)
    (site,) = folder.glob("lib/python*/site-packages")
    pip("install", "--no-deps", "--target", site, wheel)
    # A plain path: unlike a .pth file it does not start the finder of an editable install.
    packages = Path(np.__file__).parents[1]
    return folder / "bin" / "python", {**ENVIRONMENT, "PYTHONPATH": f"{site}{os.pathsep}{packages}"}


FIT = """
from s2fs import S2FS
from s2fs.baselines import AnovaF
from s2fs.info import info
from sklearn.datasets import load_iris
X, y = load_iris(return_X_y=True)
engine = info().splitlines()[1].split(maxsplit=1)[1].replace(" ", "")
print(engine, S2FS(2).fit(X, y).indices_, AnovaF(2).fit(X, y).indices_)
"""


@pytest.fixture(scope="module")
def wheel(checkout, tmp_path_factory):
    """A wheel from the sdist, with its native libraries."""
    path, libraries = built(checkout, tmp_path_factory.mktemp("wheel"))
    assert path.name.split("-")[2:4] == ["py3", "none"]
    assert any(name.startswith(LIBRARY) for name in libraries)
    return path


@pytest.fixture(scope="module")
def compiled(wheel, tmp_path_factory):
    """Python of an environment with the wheel, and its environment variables."""
    return installed(wheel, tmp_path_factory.mktemp("environment"))


def test_from_the_sdist(compiled, tmp_path):
    python, env = compiled
    out, err = run(python, "-c", FIT, cwd=tmp_path, env=env)
    assert not out.startswith("NumPy")
    assert err == ""


def test_both_distributions_are_built_alike_twice(sdist, checkout, wheel, tmp_path):
    """At another time, in another folder: who builds from the same sources can compare."""
    (tmp_path / "sdist").mkdir()
    assert built_sdist(tmp_path / "sdist").read_bytes() == sdist.read_bytes()
    copy = shutil.copytree(checkout, tmp_path / "elsewhere", copy_function=shutil.copyfile)
    (tmp_path / "wheel").mkdir()
    assert built(copy, tmp_path / "wheel")[0].read_bytes() == wheel.read_bytes()


def test_the_metadata_of_a_wheel(wheel):
    """Licences of the package and of its data, and a description that leads nowhere else."""
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        (path,) = (name for name in names if name.endswith(".dist-info/METADATA"))
        metadata = email.message_from_bytes(archive.read(path))
    assert [name.rpartition("/")[2] for name in names if "/licenses/" in name] == [
        "LICENSE", "LICENSE-ISLP"
    ]  # fmt: skip
    assert {"s2fs/datasets/data/LICENSE-ISLP", "s2fs/datasets/data/srbct.npz"} <= set(names)
    assert metadata["Description-Content-Type"] == "text/markdown"
    description = metadata.get_payload()
    assert "# s2fs" in description
    assert re.findall(r"\]\((?!https://|#)[^)]*\)", description) == []


def test_without_a_compiler(checkout, without_compiler, compiled, tmp_path):
    (tmp_path / "wheel").mkdir()
    wheel, libraries = built(checkout, tmp_path / "wheel", env=without_compiler)
    assert wheel.name.endswith("-py3-none-any.whl")
    assert libraries == []
    python, env = installed(wheel, tmp_path / "environment")
    out, err = run(python, "-c", FIT, cwd=tmp_path, env=env)
    assert out.startswith("NumPy")
    assert err.count("EngineWarning") == 1
    assert "Install a C++ compiler" in err
    silent = run(python, "-c", FIT, cwd=tmp_path, env={**env, "S2FS_ENGINE": "numpy"})
    assert silent == (out, "")
    native = run(compiled[0], "-c", FIT, cwd=tmp_path, env=compiled[1])[0]
    assert native.split()[1:] == out.split()[1:]
    _, err = run(python, "-m", "s2fs", "demo", cwd=tmp_path, env=env)
    assert err.count("without its native library") == 1


@pytest.mark.parametrize("compiler", ["/bin/false", "nothing-of-this-name"])
def test_a_failed_compilation_is_an_error_where_it_is_asked_for(checkout, compiler, tmp_path):
    env = {**ENVIRONMENT, "CXX": compiler, "S2FS_REQUIRE_NATIVE": "1"}
    out, err = pip("wheel", "--no-deps", "--wheel-dir", tmp_path, checkout, env=env, fails=True)
    assert (out + err).count("S2FS_REQUIRE_NATIVE forbids to go on without it") == 1
    assert list(tmp_path.iterdir()) == []
    wheel, libraries = built(checkout, tmp_path, env={**env, "S2FS_REQUIRE_NATIVE": "0"})
    assert wheel.name.endswith("-py3-none-any.whl")
    assert libraries == []


def test_a_library_too_few_is_an_error_where_it_is_asked_for(checkout, tmp_path):
    if platform.machine() not in ("x86_64", "AMD64"):
        pytest.skip("only x86-64 has more than one library")
    configure = ["cmake", "-S", checkout, "-B", tmp_path, "-DS2FS_AVX512=-march=no-such-processor"]
    run(*configure)
    _, err = run(*configure, "-DS2FS_REQUIRE_NATIVE=ON", fails=True)
    assert "cannot compile for avx512, and S2FS_REQUIRE_NATIVE asks" in " ".join(err.split())


def instruction_sets(folder):
    """Those that a configured folder builds the engine for."""
    targets, _ = run("cmake", "--build", folder, "--target", "help")
    return set(re.findall(r"\bs2fs_engine_(\w+)\b(?=:|$)", targets, re.MULTILINE))


def test_a_clone_is_built_for_its_own_processor_if_that_is_asked_for(checkout, tmp_path):
    configure = ["cmake", "-S", checkout, "-B", tmp_path]
    run(*configure)
    every = instruction_sets(tmp_path)
    run(*configure, "-DS2FS_INSTRUCTION_SETS=here")
    (own,) = instruction_sets(tmp_path)
    assert own in every
    if own == "baseline":
        pytest.skip("what every compiler makes cannot lack")
    # What one compiler cannot make is left to the others, or an error.
    lacking = [*configure, "-DS2FS_INSTRUCTION_SETS=here", f"-US2FS_HAS_{own.upper()}"]
    lacking.append(f"-DS2FS_{own.upper()}=-march=no-such-processor")
    run(*lacking)
    assert own not in instruction_sets(tmp_path)
    _, err = run(*lacking, "-DS2FS_REQUIRE_NATIVE=ON", fails=True)
    assert f"cannot compile for {own}, and S2FS_REQUIRE_NATIVE asks" in " ".join(err.split())


def test_in_a_folder_that_cannot_be_written(compiled, tmp_path):
    python, env = compiled
    folders = [path for path in python.parents[1].rglob("*") if path.is_dir()]
    before = {path for path in python.parents[1].rglob("*")}
    for folder in folders:
        folder.chmod(0o555)
    try:
        out, err = run(python, "-B", "-c", FIT, cwd=tmp_path, env={**env, "HOME": "/nonexistent"})
        assert set(python.parents[1].rglob("*")) == before  # root may write anywhere
    finally:
        for folder in folders:
            folder.chmod(0o755)
    assert not out.startswith("NumPy")
    assert err == ""


@pytest.mark.skipif(sys.platform != "linux", reason="reads ELF files")
def test_no_library_of_cpp_is_needed(compiled):
    (site,) = compiled[0].parents[1].glob("lib/python*/site-packages")
    libraries = list((site / "s2fs" / "_native").glob("*.so"))
    assert libraries
    for library in libraries:
        assert b"libstdc++" not in library.read_bytes()
        assert b"libc++" not in library.read_bytes()
