"""The examples of docs/PYTHON.md: all of them run, and print what the page shows.

A block ``python`` runs in the namespace of those before; a block ``text`` after it is what it prints. A block with a name is a file, and the
commands of ``console`` succeed. With ``BLESS=1`` the output that is shown is written anew.
"""

from __future__ import annotations

import contextlib
import io
import os
import pathlib
import re
import subprocess
import sys

PAGE = pathlib.Path(__file__).parents[2] / "docs" / "PYTHON.md"


def blocks() -> list[tuple[str, str, int]]:
    """The blocks of the page: the words after the backquotes, the text, and the line."""
    text = PAGE.read_text()
    found = re.finditer(r"^```(.+)\n((?:.*\n)*?)```$", text, re.MULTILINE)
    return [(block[1], block[2], text.count("\n", 0, block.start()) + 2) for block in found]


def run(code: str, line: int, names: dict[str, object]) -> str:
    """What an example prints."""
    printed = io.StringIO()
    # The lines of an error are those of the page.
    compiled = compile("\n" * (line - 1) + code, str(PAGE), "exec")
    with contextlib.redirect_stdout(printed):
        exec(compiled, names)
    return printed.getvalue()


def test_the_examples_print_what_the_page_shows(tmp_path: pathlib.Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    # The commands of the page are those of this environment.
    path = f"{pathlib.Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("PYTEST_", "MAYHAP_"))}
    names: dict[str, object] = {"__name__": "page"}
    ran, compared, printed = 0, 0, ""
    for kind, text, line in blocks():
        if kind == "python":
            assert printed == "", f"{PAGE}:{line}: what the example before prints is not shown: {printed}"
            printed = run(text, line, names)
            ran += 1
        elif kind == "text" and "BLESS" in os.environ:
            PAGE.write_text(PAGE.read_text().replace(f"```text\n{text}```", f"```text\n{printed}```", 1))
            printed = ""
        elif kind == "text":
            assert printed.rstrip("\n") == text.rstrip("\n"), f"{PAGE}:{line}"
            printed = ""
            compared += 1
        elif kind == "console":
            for command in text.splitlines():
                words = command.removeprefix("$ ")
                done = subprocess.run(
                    words, shell=True, env={**environment, "PATH": path}, capture_output=True, text=True, check=False
                )
                assert done.returncode == 0, f"{PAGE}:{line}: {words}\n{done.stdout}{done.stderr}"
                ran += 1
        elif " " in kind:
            (tmp_path / kind.split()[1]).write_text(text)
    assert printed == ""
    assert "BLESS" in os.environ or (ran >= 12 and compared >= 8), "the blocks of the page are found"
