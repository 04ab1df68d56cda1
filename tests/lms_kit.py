"""What the tests of downloads share: tiny downloads and courses, and a look at plans and rows."""

import io
import json
import tarfile
import zipfile
from datetime import UTC, datetime
from pathlib import Path

from grading_kit import make_cases, tiny

from pt2e_kit.course import Course
from pt2e_kit.grading.times import named_zone
from pt2e_kit.lms.collecting import plan_download
from pt2e_kit.lms.download import open_download
from pt2e_kit.lms.names import forms
from pt2e_kit.lms.plan import Plan, make_plan
from pt2e_kit.lms.store import Row, carry_out
from pt2e_kit.lms.students import Students

NOW = datetime(2026, 11, 29, tzinfo=UTC)
Files = dict[str, bytes | str]


def notebook(text: str = "") -> bytes:
    return json.dumps(tiny(m4=text)).encode()


ONE, TWO = notebook("one"), notebook("two")
MOODLE: Files = {
    "Ada Lovelace_101_assignsubmission_file_/p1.ipynb": ONE,
    "Ada Lovelace_101_assignsubmission_onlinetext_/onlinetext.html": "<p>hello",
    "Bob Byron_102_assignsubmission_file/sub/p1.ipynb": TWO,
}


RECEIPT = "Name: Ada Byron (Lovelace) ({id})\nAssignment: HW_1\nDate Submitted: Saturday, 10 January 2026 23:30:10 o'clock CET\n"


def make_course(root: Path, config: str = "c = get_config()\n") -> Course:
    (root / "source" / "a1").mkdir(parents=True)
    (root / "source" / "a1" / "p1.ipynb").write_text(json.dumps(make_cases.source()))
    (root / "nbgrader_config.py").write_text(config)
    return Course(root)


def lay(folder: Path, files: Files) -> Path:
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data if isinstance(data, bytes) else data.encode())
    folder.mkdir(exist_ok=True)
    return folder


def pack(path: Path, files: Files) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return path


def pack_tar(path: Path, files: Files, *more: tarfile.TarInfo) -> Path:
    with tarfile.open(path, "w:gz" if path.suffix == ".gz" else "w") as archive:
        for name, data in files.items():
            info = tarfile.TarInfo(name)
            data = data if isinstance(data, bytes) else data.encode()
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
        for info in more:
            archive.addfile(info)
    return path


def plan_of(
    tmp_path: Path, files: Files, chosen: str = "auto", students: str | None = None, zone: str | None = None
) -> Plan:
    """The plan for a download of these files (in a folder)."""
    who = None
    if students is not None:
        (tmp_path / "class.csv").write_text(students, encoding="utf-8")
        who = Students.read(tmp_path / "class.csv")
    with open_download(lay(tmp_path / "download", files)) as download:
        return make_plan(
            download, forms(chosen), ["p1", "p2"], students=who, zone=named_zone(zone) if zone else None, now=NOW
        )


def taken(plan: Plan) -> dict[str, list[str]]:
    """Student → files, of what is clear."""
    return {s.student: sorted(s.files) for s in plan.submissions if s.state == "new"}


def why(plan: Plan) -> str:
    """Everything that is told of what is not clear."""
    return " | ".join(
        [f"{s.person}: {s.why}" for s in plan.submissions if s.state != "new"] + [f"{n}: {w}" for n, w in plan.left]
    )


def bring(course: Course, path: Path, assignment: str = "a1", **options: object) -> dict[str, Row]:
    """Collect, as the command does; rows by student (or by name, where there is no student)."""
    carrying = {k: options.pop(k) for k in ("replace", "dry_run") if k in options}
    with plan_download(course, assignment, path, **options) as plan:  # type: ignore[arg-type]
        rows = carry_out(plan, course.root / "submitted", assignment, **carrying)  # type: ignore[arg-type]
    return {row.student or row.person: row for row in rows}


def outcomes(rows: dict[str, Row]) -> dict[str, str]:
    return {name: row.outcome for name, row in rows.items()}


def attempts(*stamps: str, data: tuple[bytes, ...] = (ONE, TWO)) -> Files:
    return {f"HW_ada_attempt_{s}_p1.ipynb": d for s, d in zip(stamps, data, strict=True)}
