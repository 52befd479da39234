"""The commands as a whole: what is loaded, what is shown, and what is said if a package lacks."""

import subprocess
import sys

import pytest
from click.testing import CliRunner

from s2fs.cli import COMMANDS, main

#: What takes long to import.
HEAVY = {"numpy", "scipy", "sklearn", "matplotlib", "tqdm", "pyarrow", "narwhals"}


def python(code):
    """Run code in a process of its own."""
    command = [sys.executable, "-c", code]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("argument", ["--help", "--version"])
def test_help_and_version_load_nothing_heavy(argument):
    result = python(
        "import sys\nfrom s2fs.cli import main\n"
        f"main([{argument!r}], standalone_mode=False)\n"
        f"print({HEAVY!r} & set(sys.modules), file=sys.stderr)"
    )
    assert result.stderr == "set()\n"


def test_importing_s2fs_loads_nothing_heavy():
    assert python(f"import sys, s2fs\nprint({HEAVY!r} & set(sys.modules))").stdout == "set()\n"


@pytest.mark.parametrize("name", COMMANDS)
def test_the_line_of_a_command_is_that_of_its_own_help(name):
    _, line = COMMANDS[name]
    command = main.get_command(None, name)
    assert command.name == name
    assert command.help.splitlines()[0] == line
    shown = " ".join(CliRunner().invoke(main, ["--help"]).output.split())
    assert f"{name} {line}" in shown


@pytest.mark.parametrize("group", [[], ["data"], ["bench"]])
def test_a_group_alone_shows_its_help(group):
    alone = CliRunner().invoke(main, group)
    assert alone.exit_code == 0
    assert alone.output == CliRunner().invoke(main, [*group, "--help"]).output
    assert alone.output.startswith("Usage:")


def test_a_command_that_is_not_there():
    result = CliRunner().invoke(main, ["slect"])
    assert result.exit_code == 2
    assert result.stderr.startswith("Error: There is no command 'slect' (did you mean 'select'?)")


def test_without_the_extra_the_console_script_says_so():
    result = python(
        "import sys\nsys.modules['click'] = None\nfrom s2fs.__main__ import main\nmain(['--help'])"
    )
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr == "Error: The command line needs click: pip install 's2fs[cli]'.\n"


def test_the_console_script_runs_the_commands():
    command = [sys.executable, "-m", "s2fs", "--version"]
    result = subprocess.run(command, capture_output=True, text=True, check=True)
    assert result.stdout.startswith("s2fs, version ")


@pytest.mark.parametrize("command", ["bench", "data", "figures"])
def test_without_the_laboratory_its_commands_say_what_to_install(monkeypatch, command):
    monkeypatch.setattr("s2fs.cli.app.entry_points", lambda **_: ())
    done = CliRunner().invoke(main, [command, "run", "quick", "--results", "quick.sqlite"])
    assert done.exit_code == 2
    assert done.stderr.count("\n") == 1
    assert "pip install s2fs-bench" in done.stderr
    done = CliRunner().invoke(main, [command, "--help"])
    assert done.exit_code == 0
    assert "pip install s2fs-bench" in done.output


@pytest.mark.parametrize("command", ["select", "compare", "score"])
def test_help_has_headings_and_fits_a_terminal(command):
    lines = CliRunner().invoke(main, [command, "--help"], terminal_width=80).output.splitlines()
    headings = [line for line in lines if line.endswith(":") and not line.startswith(" ")]
    wanted = ["Data:", "Selection:", "Selection, s2fs only:", "Evaluation:", "Output:"]
    if command == "compare":  # it takes all parameters as they are
        wanted.remove("Selection, s2fs only:")
    assert headings == wanted
    examples = lines.index("  Example:") if "  Example:" in lines else len(lines)
    assert max(map(len, lines[:examples])) <= 80
