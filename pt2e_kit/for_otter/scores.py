"""From our result to otter's: the points and findings of each exercise, put into its test file."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from otter.test_files import GradingResults
from otter.test_files.abstract_test import TestCaseResult, TestFile
from otter.test_files.exception_test import ExceptionTestFile

from common.i18n import _
from pt2e_kit.for_otter.parts import Part
from pt2e_kit.formats.gradescope import gradescope
from pt2e_kit.formats.words import told


def test_files(result: Mapping[str, Any], parts: list[Part], folder: Path) -> dict[str, TestFile]:
    """Return otter's test files by name, with what we found. Where there is no entry, nothing is earned."""
    entries = {e["id"]: e for n in result["notebooks"] for e in n["exercises"]}
    causes = "; ".join(f"{n['state']}: {n['cause']}" for n in result["notebooks"] if n["cause"])
    files = {}
    for part in parts:
        file = ExceptionTestFile.from_file(str(folder / f"{part.name}.py"))
        _fill(file, entries.get(part.id), causes)
        files[file.name] = file
    return files


def _fill(file: TestFile, entry: Mapping[str, Any] | None, causes: str) -> None:
    earned = {c["name"]: c["score"] == c["max_score"] for c in entry["criteria"]} if entry else {}
    file.test_case_results = []
    for case in file.test_cases:
        if entry is None:
            passed, message = False, causes or _("it is not there")
        else:
            passed = earned.get(case.name, entry["score"] == entry["max_score"])
            findings = [f for f in entry["findings"] if f["criterion"] in (None, case.name)] or entry["findings"]
            message = "✓" if passed else told(findings) or entry["status"]
        file.test_case_results.append(TestCaseResult(test_case=case, message=message, passed=passed))
    file.update_score(entry["score"] if entry else 0)


def fill(results: GradingResults, result: Mapping[str, Any], parts: list[Part], folder: Path) -> None:
    """Put all that we found in the place of what otter found, and what carries no points into the overall output."""
    results.results = test_files(result, parts, folder)
    shown = gradescope(result)
    more = [f"{t['name']} ({t.get('status', '–')})\n{t.get('output', '')}" for t in shown["tests"] if "score" not in t]
    results.set_output("\n\n".join([shown["output"], *more]))
