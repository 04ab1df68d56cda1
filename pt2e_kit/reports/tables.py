"""A report as CSV: one file for each table, for spreadsheets and other programs."""

from pathlib import Path

from pt2e_kit.reports.adjusted import EXPORT_COLUMNS
from pt2e_kit.reports.overview import Overview
from pt2e_kit.standing import write_csv

FINDING_COLUMNS = ("students", "misconception", "symptom", "why")
EXERCISE_COLUMNS = (
    "exercise", "kind", "students", "full_marks", "pass_rate", "mean", "points", "discrimination", "adjustment",
)  # fmt: skip
LOOK_COLUMNS = ("what", "students", "text")


def write_tables(report: Overview, folder: Path) -> list[Path]:
    """Write students.csv, exercises.csv, misconceptions.csv and to-look-at.csv into a folder; return their paths.

    Rates are shares from 0 to 1. Limits that were hit stand in to-look-at.csv, reasons without a wrong idea behind them
    at the end of misconceptions.csv.
    """
    folder.mkdir(parents=True, exist_ok=True)
    look = [{**row, "students": "; ".join(row["students"])} for row in (*report.to_look_at, *report.limits)]
    tables = {
        "students.csv": (EXPORT_COLUMNS, report.students),
        "exercises.csv": (EXERCISE_COLUMNS, report.exercises),
        "misconceptions.csv": (FINDING_COLUMNS, [*report.misconceptions, *report.other_reasons]),
        "to-look-at.csv": (LOOK_COLUMNS, look),
    }
    for name, (columns, rows) in tables.items():
        write_csv(folder / name, columns, rows)
    return [folder / name for name in tables]
