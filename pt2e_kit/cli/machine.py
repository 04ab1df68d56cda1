"""`doctor` and `exercises`: what this machine and this course have."""

from typing import Annotated, Any

import typer

from common.i18n import _
from pt2e_kit.cli import console

Json = Annotated[bool, typer.Option("--json", help=_("Print JSON, for other programs."))]


def register(commands: typer.Typer) -> None:
    """Add this group's commands."""
    commands.command()(doctor)
    commands.command()(exercises)


def doctor(json: Json = False) -> None:
    """Say what this machine has, what each part is for, and how to get what is missing.

    Exit code 1 only where a part is missing without which nothing works.

    Example: pt2e-kit doctor
    """
    from common.platform_checks import PARTS

    checked = [(part, part.check()) for part in PARTS.values()]
    broken = [part for part, found in checked if part.required and not found.good]
    if json:
        rows = [
            {
                "id": part.id,
                "present": found.present,
                "version": found.version,
                "wanted": found.wanted,
                "required": part.required,
                "purpose": part.purpose,
                "how": None if found.good else part.how,
                "without": part.substitute or None,
            }
            for part, found in checked
        ]
        console.say_json(rows)
    else:
        console.stdout().print(console.table(["", _("part"), _("version"), _("for"), _("to do")], _lines(checked)))
    if broken:
        names = ", ".join(part.id for part in broken)
        console.complain(_("missing, and nothing works without: {names}. See above how to get it.").format(names=names))
        raise typer.Exit(1)


def _lines(checked: list[Any]) -> list[list[object]]:
    lines: list[list[object]] = []
    for part, found in checked:
        if found.good:
            mark, todo = console.text("✓", "green"), ""
        elif found.present:
            mark = console.text("✗" if part.required else "–", "red" if part.required else "yellow")
            todo = _("needs version {wanted}: {how}").format(wanted=found.wanted, how=part.how)
        else:
            mark = console.text("✗" if part.required else "–", "red" if part.required else "yellow")
            todo = part.how + (f"; {_('without')}: {part.substitute}" if part.substitute else "")
        lines.append([mark, part.id, found.version or (_("yes") if found.present else "—"), part.purpose, todo])
    return lines


def exercises(json: Json = False) -> None:
    """List the exercises: kind, points, minutes, and how many answers the bank holds for each.

    `accept` and `reject` count the right and wrong answers in tests/answers that the exercise is tested with.

    Example: pt2e-kit exercises --json
    """
    from pt2e_kit.authoring.listing import exercise_rows

    rows = exercise_rows()
    if json:
        console.say_json(rows)
        return
    columns = [
        "id",
        "kind",
        ("points", "right"),
        ("minutes", "right"),
        ("accept", "right"),
        ("reject", "right"),
        "title",
    ]
    names = [c if isinstance(c, str) else c[0] for c in columns]
    cells = [["—" if row[name] is None else row[name] for name in names] for row in rows]
    console.stdout().print(console.table(columns, cells))
