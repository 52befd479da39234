"""Try the wheels of all platforms on one machine, with zig as the compiler.

Wheels for users are built and run on their own systems, by cibuildwheel (.github/workflows). This
is for a change to the sources: does it still compile everywhere? The packages ``build``,
``scikit-build-core`` and ``ziglang`` must be installed. Every wheel is checked: its tag, the
libraries inside, the machine they are for, the names they export, and that they need no C++
library. The wheel for Linux on x86-64 is also installed into a new environment and run, if this
machine is one; the others are only built, and nothing here has run them.
"""

import argparse
import platform
import re
import subprocess
import sys
import tempfile
import venv
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
NATIVE = ROOT / "src" / "s2fs" / "_native" / "src"
X86_SETS, ARM_SETS = ("baseline", "avx2", "avx512"), ("baseline",)
#: The oldest GNU C library that the wheels for Linux run with.
GLIBC = 17


@dataclass(frozen=True)
class Platform:
    """How zig and CMake call a platform, what pip calls it, and what its libraries look like."""

    zig: str
    system: str
    processor: str
    tag: str
    suffix: str
    #: Bytes of a library, and where: its format and its machine.
    marks: tuple[tuple[int, bytes], ...]
    sets: tuple[str, ...]


ELF, MACHO = (0, b"\x7fELF"), (0, b"\xcf\xfa\xed\xfe")
PLATFORMS = {
    "linux-x86_64": Platform(
        f"x86_64-linux-gnu.2.{GLIBC}", "Linux", "x86_64", f"manylinux_2_{GLIBC}_x86_64", ".so",
        (ELF, (18, b"\x3e\x00")), X86_SETS,
    ),
    "linux-arm64": Platform(
        f"aarch64-linux-gnu.2.{GLIBC}", "Linux", "aarch64", f"manylinux_2_{GLIBC}_aarch64", ".so",
        (ELF, (18, b"\xb7\x00")), ARM_SETS,
    ),
    "musl-x86_64": Platform(
        "x86_64-linux-musl", "Linux", "x86_64", "musllinux_1_2_x86_64", ".so",
        (ELF, (18, b"\x3e\x00")), X86_SETS,
    ),
    "musl-arm64": Platform(
        "aarch64-linux-musl", "Linux", "aarch64", "musllinux_1_2_aarch64", ".so",
        (ELF, (18, b"\xb7\x00")), ARM_SETS,
    ),
    "macos-x86_64": Platform(
        "x86_64-macos.11.0", "Darwin", "x86_64", "macosx_11_0_x86_64", ".so",
        (MACHO, (4, b"\x07\x00\x00\x01")), X86_SETS,
    ),
    "macos-arm64": Platform(
        "aarch64-macos.11.0", "Darwin", "arm64", "macosx_11_0_arm64", ".so",
        (MACHO, (4, b"\x0c\x00\x00\x01")), ARM_SETS,
    ),
    "windows-x86_64": Platform(
        "x86_64-windows-gnu", "Windows", "AMD64", "win_amd64", ".dll",
        ((0, b"MZ"),), X86_SETS,
    ),
}  # fmt: skip


def zig() -> Path:
    """The compiler."""
    import ziglang

    return Path(ziglang.__file__).with_name("zig")


def build(target: Platform, folder: Path) -> Path:
    """Build one wheel; returns where it is."""
    definitions = {
        "CMAKE_SYSTEM_NAME": target.system,
        "CMAKE_SYSTEM_PROCESSOR": target.processor,
        "CMAKE_CXX_COMPILER": f"{zig()};c++;-target;{target.zig}",
        "S2FS_AVX2": "-mcpu=x86_64_v3",
        "S2FS_AVX512": "-mcpu=x86_64_v4",
        "CMAKE_OSX_ARCHITECTURES": "",
        "CMAKE_INSTALL_NAME_TOOL": "true",  # CMake wants one for macOS, and calls it for nothing
    }
    settings = [
        f"--config-setting=wheel.tags=py3-none-{target.tag}",
        "--config-setting=install.strip=false",  # by a tool that knows this machine's format only
        *(f"--config-setting=cmake.define.{name}={value}" for name, value in definitions.items()),
    ]
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", f"--outdir={folder}"]
    subprocess.run([*command, *settings, ROOT], check=True, stdout=subprocess.DEVNULL)
    (wheel,) = folder.glob(f"*-py3-none-{target.tag}.whl")
    return wheel


def _read(source: Path) -> str:
    return source.read_text("utf-8")


def problems(wheel: Path, target: Platform) -> Iterator[str]:
    """What is wrong with a wheel, one sentence each."""
    exported = set(re.findall(r"S2FS_ENTRY\((s2fs_\w+)", "".join(map(_read, NATIVE.glob("*.cpp")))))
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        (metadata,) = (name for name in names if name.endswith(".dist-info/WHEEL"))
        if f"Tag: py3-none-{target.tag}\n" not in archive.read(metadata).decode():
            yield f"the tag is not py3-none-{target.tag}"
        expected = {f"s2fs/_native/libs2fs_engine_{name}{target.suffix}" for name in target.sets}
        found = {name for name in names if name.startswith("s2fs/_native/libs2fs")}
        if found != expected:
            yield f"the libraries are {sorted(found)}, not {sorted(expected)}"
        for name in sorted(found & expected):
            library = archive.read(name)
            if any(library[at : at + len(mark)] != mark for at, mark in target.marks):
                yield f"{name} is not for {target.zig}"
            missing = {function for function in exported if function.encode() not in library}
            if missing:
                yield f"{name} does not export {sorted(missing)}"
            # What is linked in may name itself; a file of this name would have to be there.
            if re.search(rb"lib(stdc\+\+|c\+\+|gcc_s)\.so", library):
                yield f"{name} needs a C++ library"
            versions = [int(version) for version in re.findall(rb"GLIBC_2\.(\d+)", library)]
            if versions and max(versions) > GLIBC:
                yield f"{name} needs version 2.{max(versions)} of the GNU C library"
        sources = [name for name in names if name.endswith((".cpp", ".hpp", ".h"))]
        if sources:
            yield f"it carries sources: {sources}"


def run(wheel: Path) -> None:
    """Install a wheel into a new environment and compute with each of its libraries."""
    with tempfile.TemporaryDirectory() as folder:
        venv.create(folder, with_pip=True)
        python = Path(folder) / "bin" / "python"
        install = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", wheel]
        subprocess.run(install, check=True)
        subprocess.run([python, ROOT / "tools" / "check_wheel.py"], check=True, cwd=folder)


def main() -> None:
    """Build, check and, where it can be, run."""
    names = [*PLATFORMS]
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "platforms", nargs="*", metavar="PLATFORM",
        help=f"which to build, all by default: {', '.join(names)}",
    )  # fmt: skip
    parser.add_argument("--output", type=Path, default=Path("dist"), help="folder for the wheels")
    options = parser.parse_args()
    unknown = set(options.platforms) - set(names)
    if unknown:
        parser.error(f"no platform {unknown.pop()!r}; choose from {', '.join(names)}")
    options.output.mkdir(parents=True, exist_ok=True)
    here = f"{platform.system().lower()}-{platform.machine()}"
    failed = False
    for name in options.platforms or names:
        wheel = build(PLATFORMS[name], options.output)
        wrong = list(problems(wheel, PLATFORMS[name]))
        failed |= bool(wrong)
        print(f"{wheel.name}: {'; '.join(wrong) or 'tag and contents are right'}", flush=True)
        if name == here == "linux-x86_64":
            run(wheel)
        else:
            print("    only built, not run")
    sys.exit(failed)


if __name__ == "__main__":
    main()
