"""What the pages of docs/ name exists: commands with their options, files, pages and their sections."""

import re
import shlex
from pathlib import Path

import pytest
import typer.main
from commands import ROOT

from pt2e_kit.cli.main import commands

PAGES = sorted([*(ROOT / "docs").glob("*.md"), ROOT / "README.md", ROOT / "CONTRIBUTING.md"])
COMMANDS = typer.main.get_command(commands).commands  # type: ignore[attr-defined]
FENCED = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)\s]+)\)")
TARGETS = re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)


def typed(page: Path) -> list[str]:
    """The commands of the kit that a page names, whole lines of shell or in running text."""
    text = page.read_text(encoding="utf-8")
    lines = [line.partition("  #")[0] for _kind, block in FENCED.findall(text) for line in block.splitlines()]
    inline = re.findall(r"`([^`\n]+)`", FENCED.sub("", text))
    return [found.strip() for found in (*lines, *inline) if re.match(r"\s*(pt2e-kit|make) [a-z]", found)]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_commands_and_options_exist(page: Path) -> None:
    for line in typed(page):
        program, name, *rest = shlex.split(line.replace("…", "..."))
        if program == "make":
            assert name in TARGETS, line
            continue
        assert name in COMMANDS, line
        known = {
            option for parameter in COMMANDS[name].params for option in (*parameter.opts, *parameter.secondary_opts)
        }
        options = {word.partition("=")[0] for word in rest if word.startswith("-")}
        assert options <= known | {"--help", "--debug"}, line


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for link in LINK.findall(page.read_text(encoding="utf-8")):
        if link.startswith(("http", "mailto:")):
            continue
        name, _mark, section = link.partition("#")
        target = (page.parent / name).resolve() if name else page
        assert target.exists(), link
        if section and target.suffix == ".md":
            titles = re.findall(r"^#+ (.+)$", target.read_text(encoding="utf-8"), re.MULTILINE)
            anchors = {re.sub(r"[^\w\- ]", "", title.casefold()).replace(" ", "-") for title in titles}
            assert section in anchors, link


def test_the_start_page_names_every_page() -> None:
    named = LINK.findall((ROOT / "docs" / "README.md").read_text(encoding="utf-8"))
    pages = {page.name for page in (ROOT / "docs").glob("*.md")} - {"README.md"}
    assert pages <= {name.partition("#")[0] for name in named}
