"""The examples of docs/PYTHON.md and docs/SPARK.md: all of them run, and print what the page shows.

A block ``python`` runs in the namespace of those before; a block ``text`` after it is what it prints. A block with a name is a file, and the
commands of ``console`` succeed. With ``BLESS=1`` the output that is shown is written anew.
"""

from __future__ import annotations

import contextlib
import io
import os
import pathlib
import re
import shutil
import subprocess
import sys

import pytest

DOCS = pathlib.Path(__file__).parents[2] / "docs"


def blocks(page: pathlib.Path) -> list[tuple[str, str, int]]:
    """The blocks of a page: the words after the backquotes, the text, and the line."""
    text = page.read_text()
    found = re.finditer(r"^```(.+)\n((?:.*\n)*?)```$", text, re.MULTILINE)
    return [(block[1], block[2], text.count("\n", 0, block.start()) + 2) for block in found]


def run(page: pathlib.Path, code: str, line: int, names: dict[str, object]) -> str:
    """What an example prints."""
    printed = io.StringIO()
    # The lines of an error are those of the page.
    compiled = compile("\n" * (line - 1) + code, str(page), "exec")
    with contextlib.redirect_stdout(printed):
        exec(compiled, names)
    return printed.getvalue()


@pytest.mark.parametrize(("name", "least_run", "least_compared"), [("PYTHON", 12, 8), ("SPARK", 6, 5)])
def test_the_examples_print_what_the_page_shows(
    tmp_path: pathlib.Path, monkeypatch, name: str, least_run: int, least_compared: int
) -> None:
    if name == "SPARK" and "CI" not in os.environ:
        pytest.importorskip("pyspark", reason="skipped: pyspark is not installed")
        if shutil.which("java") is None:
            pytest.skip("skipped: java is not installed")
    page = DOCS / f"{name}.md"
    monkeypatch.setenv("PYSPARK_PYTHON", sys.executable)
    monkeypatch.setenv("SPARK_LOCAL_IP", "127.0.0.1")
    monkeypatch.chdir(tmp_path)
    # The commands of the page are those of this environment.
    path = f"{pathlib.Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("PYTEST_", "MAYHAP_"))}
    names: dict[str, object] = {"__name__": "page"}
    ran, compared, printed = 0, 0, ""
    for kind, text, line in blocks(page):
        if kind == "python":
            assert printed == "", f"{page}:{line}: what the example before prints is not shown: {printed}"
            printed = run(page, text, line, names)
            ran += 1
        elif kind == "text" and "BLESS" in os.environ:
            page.write_text(page.read_text().replace(f"```text\n{text}```", f"```text\n{printed}```", 1))
            printed = ""
        elif kind == "text":
            assert printed.rstrip("\n") == text.rstrip("\n"), f"{page}:{line}"
            printed = ""
            compared += 1
        elif kind == "console":
            for command in text.splitlines():
                words = command.removeprefix("$ ")
                done = subprocess.run(
                    words, shell=True, env={**environment, "PATH": path}, capture_output=True, text=True, check=False
                )
                assert done.returncode == 0, f"{page}:{line}: {words}\n{done.stdout}{done.stderr}"
                ran += 1
        elif " " in kind:
            (tmp_path / kind.split()[1]).write_text(text)
    assert printed == ""
    assert "BLESS" in os.environ or (ran >= least_run and compared >= least_compared), "the blocks of the page are found"
