"""`grade` and `grade-one`."""

from pathlib import Path
from typing import Annotated, Any

import typer

from common.i18n import _
from pt2e_kit.cli import console

Jobs = Annotated[int, typer.Option("--jobs", "-j", min=1, help=_("Submissions graded at the same time."))]
SeedFile = Annotated[
    Path | None,
    typer.Option(help=_("File with the class seed; made at first use in your data folder. Keep it out of the course.")),
]


NoSandboxOption = Annotated[
    bool,
    typer.Option(
        "--unsafe-no-sandbox",
        help=_("Where no sandbox works here: run submissions all the same. For work of people you trust."),
    ),
]


def register(commands: typer.Typer) -> None:
    """Add this group's commands."""
    commands.command()(grade)
    commands.command("grade-one")(grade_one)


def grade(
    assignment: Annotated[str, typer.Argument(help=_("The assignment: a folder of source/, such as m02_by_hand."))],
    jobs: Jobs = 2,
    student: Annotated[
        list[str] | None, typer.Option(help=_("Only this student; may be given more than once."))
    ] = None,
    force: Annotated[bool, typer.Option("--force", help=_("Grade anew what has not changed, too."))] = False,
    rejudge: Annotated[
        bool, typer.Option("--rejudge", help=_("Judge the runs that were kept again; run nothing."))
    ] = False,
    unsafe_no_sandbox: NoSandboxOption = False,
    seed_file: SeedFile = None,
    course: Annotated[Path | None, typer.Option(help=_("The course's folder; else the one you are in."))] = None,
    feedback: Annotated[bool, typer.Option(help=_("Write feedback pages as well."))] = True,
) -> None:
    """Grade all submissions of an assignment and record them in nbgrader's gradebook.

    Reads submitted/STUDENT/ASSIGNMENT; writes results/, autograded/, feedback/ and gradebook.db. A submission that
    cannot be graded has a state and a cause, and stops no other. Exit code 0: all graded; 1: some are not.

    What is graded already and has not changed is left as it is, so an interrupted grading goes on where it stopped.
    After a change of points or judges, --rejudge scores the kept runs again within seconds; see pt2e-kit report --diff.

    Example: pt2e-kit grade m02_by_hand --jobs 4
    """
    from pt2e_kit.course import Course
    from pt2e_kit.grading.pipeline import warm_up

    where = Course.find(course)
    source = where.source(assignment)  # a name that is wrong is said first
    total = len(student or where.submissions(assignment))
    if not total:
        folder = where.root / "submitted" / "STUDENT" / assignment
        console.say(_("nothing was handed in: no folder {folder}").format(folder=folder))
        raise typer.Exit(1)
    if not rejudge:
        warm_up(source)
    from pt2e_kit.record import grade_assignment, write_feedback  # nbgrader: it takes its time as well

    try:
        with console.progress(_("grading {name}").format(name=assignment)) as bar:
            task = bar.add_task(_("grading"), total=total)
            outcome = grade_assignment(
                where,
                assignment,
                jobs=jobs,
                students=student,
                seed_file=seed_file,
                force=force,
                rejudge=rejudge,
                unsafe_no_sandbox=unsafe_no_sandbox,
                progress=lambda _r: bar.advance(task),
            )
    except KeyboardInterrupt:
        console.complain(_("stopped. What was graded is recorded; the same command goes on where this one stopped."))
        raise typer.Exit(130) from None
    show_results(list(outcome.results.values()))
    if outcome.unchanged:
        text = _("not changed since they were graded, and left as they are: {n} (--force grades them anew)")
        console.say(text.format(n=len(outcome.unchanged)))
    for name, reason in outcome.not_rejudged.items():
        console.complain(_("{student} was not judged again: {reason}").format(student=name, reason=reason))
    if feedback:
        pages = write_feedback(where, assignment)
        console.say(_("feedback pages: {n}, in {folder}").format(n=len(pages), folder=where.root / "feedback"))
    raise typer.Exit(0 if outcome.all_graded else 1)


def grade_one(
    source: Annotated[Path, typer.Option(help=_("Folder with the instructor's notebooks of one assignment."))],
    submission: Annotated[Path, typer.Option(help=_("Folder that was handed in; it is only read."))],
    out: Annotated[Path, typer.Option(help=_("Where to write the result (results.json)."))],
    form: Annotated[
        str,
        typer.Option(
            "--format",
            help=_(
                "results: all that is known; gradescope: for an autograder on Gradescope; exercism: a test runner's, version 3."
            ),
        ),
    ] = "results",
    student: Annotated[str | None, typer.Option(help=_("Name in the result; else the folder's name."))] = None,
    unsafe_no_sandbox: NoSandboxOption = False,
    seed_file: SeedFile = None,
) -> None:
    """Grade one submission without a course or a database; works for any nbgrader assignment.

    Exit code 0: it is graded; 1: it is not (its state and cause are in the result). With --format gradescope or
    exercism a submission that cannot be read is a result like any other, and 1 means that grading itself failed.

    Example: pt2e-kit grade-one --source source/m02_by_hand --submission handed-in --out results.json
    """
    from pt2e_kit.formats import FORMATS
    from pt2e_kit.grading.pipeline import grade_submission
    from pt2e_kit.grading.results import write_json
    from pt2e_kit.settings import read_class_seed

    for name, folder in (("--source", source), ("--submission", submission)):
        if not folder.is_dir():
            raise NotADirectoryError(_("{name}: {folder} is not a folder").format(name=name, folder=folder))
    if out.is_dir():
        raise ValueError(_("--out: {out} is a folder; name a file in it, such as results.json").format(out=out))
    if form not in FORMATS:
        raise ValueError(_("--format: {form} is none of {known}").format(form=form, known=", ".join(FORMATS)))
    with console.progress(_("grading")) as bar:
        bar.add_task(_("grading"), total=None)
        graded = grade_submission(
            source,
            submission,
            student=student,
            class_seed=read_class_seed(seed_file),
            unsafe_no_sandbox=unsafe_no_sandbox,
        )
    show_results([graded.result])
    show_exercises(graded.result)
    out.unlink(missing_ok=True)  # where there is no new result, nobody must take an older one for it
    write_json(out, FORMATS[form](graded.result))
    good = graded.result["state"] == "graded" if form == "results" else graded.result["state"] != "failed"
    raise typer.Exit(0 if good else 1)


def show_results(results: list[dict[str, Any]]) -> None:
    """Print one line a submission, then what an instructor should look at."""
    columns = [_("student"), _("state"), (_("score"), "right"), (_("of"), "right"), _("cause or remarks")]
    rows = [[r["student"], r["state"], number(r["score"]), number(r["max_score"]), remarks(r)] for r in results]
    console.stdout().print(console.table(columns, rows))


def show_exercises(result: dict[str, Any]) -> None:
    """Print the exercises of one result, and what was found."""
    for notebook in result["notebooks"]:
        for entry in notebook["exercises"]:
            score = "–" if entry["score"] is None else f"{number(entry['score'])}/{number(entry['max_score'])}"
            console.say(f"  {entry['id']}: {score} ({entry['kind']}, {entry['status']})")
            for finding in entry["findings"]:
                console.say(f"      ✗ {finding['symptom']}")


def remarks(result: dict[str, Any]) -> str:
    """Why a submission is not graded, or how many notes of each kind there are on it."""
    causes = [n["cause"] for n in result["notebooks"] if n["cause"]]
    kinds = [note["kind"] for note in result["notes"]]
    counts = [f"{kinds.count(k)} {k}" for k in dict.fromkeys(kinds)]
    return "; ".join([*causes, *counts])


def number(value: float | None) -> str:
    """A score as people write it; a dash where there is none."""
    return "–" if value is None else f"{value:g}"
