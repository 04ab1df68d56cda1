"""A table of the sizes of files, as they are."""

import sys
from collections.abc import Iterator
from typing import Any

from common.checks.m08_1._files import as_number
from common.exercise.base import Case, Exercise, Finding
from common.exercise.evidence import NUMBER, Evidence, Recorder

_ROW = {
    "type": "array",
    "minItems": 4,
    "maxItems": 4,
    "prefixItems": [{"type": "string"}, *[{"anyOf": [NUMBER, {"type": "null"}]}] * 3],
}


class SizeTable(Exercise):
    """size_table(files): names, sizes of the fp32 and the int8 file, and how many times smaller int8 is."""

    id = "m08_1.size_table"
    kind = "practice"
    minutes = 8
    criteria = {"sizes": 1, "factor and order": 1}
    parameters = ("files",)
    must_return = True
    hints = (
        "One row for each name, with `len` of either file.",
        "The factor is fp32 / int8: 3.0 means that the int8 file is a third. Below 1 it is larger.",
        "`sorted(rows, key=lambda row: row[3], reverse=True)`.",
    )
    misconceptions = {
        "inverted": "int8 / fp32 says which share is left. Asked for is how many times smaller the int8 file is.",
        "only-good-ones": "A table that leaves out the nets for which int8 is larger, or calls them 1, is not honest: "
        "for a net with few weights the scales and the extra nodes cost more than the weights save.",
        "object-size": "`sys.getsizeof` gives the size of a Python object, header included. The file has `len(data)` "
        "bytes.",
        "quarter-assumed": "Weights shrink to a quarter; a file holds more than weights. Measure it.",
        "swapped": "The pair of each name is (fp32 file, int8 file), in this order.",
        "unsorted": "The largest factor comes first.",
    }
    public_cases = (Case(sizes={"small": [3360, 3872], "large": [40208, 14352], "middle": [7056, 6000]}),)
    facts = {"rows": {"anyOf": [{"type": "null"}, {"type": "array", "maxItems": 100, "items": _ROW}]}}

    def probe(self, answer: Any, case: Case, ev: Recorder) -> None:
        returned = ev.call(answer, {name: (bytes(a), bytes(b)) for name, (a, b) in case.sizes.items()})
        rows: list[Any] | None = []
        with ev.student("the table was read"):
            for row in list(returned)[:100]:
                cells = tuple(row) if isinstance(row, (tuple, list)) else ()
                if len(cells) != 4 or not isinstance(cells[0], str):
                    rows = None
                    break
                rows.append([cells[0], *(as_number(c) for c in cells[1:])])
        ev.fact("rows", rows)

    def judge(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        rows = evidence.facts["rows"]
        if rows is None or any(n is None for row in rows for n in row[1:]):
            symptom = "What is returned is not a list of rows (name, fp32 size, int8 size, factor)."
            yield Finding(None, False, "form", symptom)
            return
        wanted = {name: (a, b, a / b) for name, (a, b) in case.sizes.items()}
        found = {name: tuple(numbers) for name, *numbers in rows}
        yield self._sizes(wanted, found, len(rows))
        yield self._factors(wanted, found, [row[0] for row in rows])

    def _sizes(self, wanted: dict[str, Any], found: dict[str, Any], count: int) -> Finding:
        missing = set(wanted) - set(found)
        if missing and all(wanted[name][2] < 1 for name in missing):
            return self.failed("sizes", "only-good-ones", "A net whose int8 file is larger is not in the table.")
        if set(found) != set(wanted) or count != len(wanted):
            return self.failed("sizes", None, "The table has not one row for each name.")
        sizes = {name: row[:2] for name, row in found.items()}
        if all(sizes[name] == wanted[name][:2] for name in wanted):
            return self.passed("sizes")
        extra = sys.getsizeof(b"")
        if all(sizes[n] == (wanted[n][0] + extra, wanted[n][1] + extra) for n in wanted):
            return self.failed(
                "sizes", "object-size", "Every size is larger than the file, by the same number of bytes."
            )
        if all(sizes[name] == wanted[name][1::-1] for name in wanted):
            return self.failed("sizes", "swapped", "The sizes of fp32 and int8 are in each other's place.")
        if all(abs(sizes[name][1] - wanted[name][0] / 4) < 1 for name in wanted):
            return self.failed(
                "sizes", "quarter-assumed", "The size of int8 is a quarter of fp32's, whatever the file."
            )
        return self.failed("sizes", None, "A size is not that of the file.")

    def _factors(self, wanted: dict[str, Any], found: dict[str, Any], order: list[str]) -> Finding:
        common = [name for name in wanted if name in found]

        def all_near(values: dict[str, float]) -> bool:
            # Rounded to two places is good enough to read.
            return bool(common) and all(abs(found[n][2] - values[n]) <= 0.0051 for n in common)

        if set(common) != set(wanted):
            return self.failed("factor and order", None, "A factor is missing.")
        right = {name: row[2] for name, row in wanted.items()}
        if all_near(right):
            if order == sorted(order, key=lambda name: -right[name]):
                return self.passed("factor and order")
            return self.failed("factor and order", "unsorted", "The rows are not in the order that is asked for.")
        kind, symptom = None, "A factor is another one."
        if all_near({n: 1 / v for n, v in right.items()}):
            kind, symptom = "inverted", "Factors are upside down."
        elif all_near({n: max(1.0, v) for n, v in right.items()}):
            kind, symptom = "only-good-ones", "A factor is 1 where the int8 file is larger."
        elif all_near(dict.fromkeys(right, 4.0)):
            kind, symptom = "quarter-assumed", "Every factor is 4."
        return self.failed("factor and order", kind, symptom)
