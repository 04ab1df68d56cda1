"""Which submitted cell is which cell of the instructor's notebook."""

import difflib
import functools

from nbformat import NotebookNode

from common.i18n import _
from pt2e_kit.grading.comparing import defined, has_code, has_lines, parses, says_nothing, without_lines, words
from pt2e_kit.grading.notes import Note
from pt2e_kit.notebooks import grade_metadata, is_answer, is_graded

LIKENESS = 0.6
"""From here on two cells are taken for the same one (difflib ratio of the words in their sources)."""
MAX_COMPARED = 20_000_000
"""Pairs of words that are compared at most; a submission could keep us busy for hours otherwise."""
MAX_HALVES = 4
"""Into so many pieces a split answer is looked for."""
OWN_WORDS = 3
"""So many words behind a text of ours are kept: somebody may have answered there."""


def key_of(cell: NotebookNode) -> str:
    """Return the name of a template's cell: its grade id, else its cell id."""
    return grade_metadata(cell).get("grade_id") or cell.id


class Matcher:
    """Matches cells by grade id, cell id, likeness and place; `notes` says what was found in another way than by id."""

    def __init__(self, template: list[NotebookNode], released: dict[str, str], submitted: list[NotebookNode]) -> None:
        self.template, self.released, self.submitted = template, released, submitted
        self.notes: list[Note] = []
        self.by_key = {key_of(c): c for c in template}
        self.order = {key: n for n, key in enumerate(self.by_key)}
        self.matches: dict[str, list[int]] = {key: [] for key in self.by_key}
        self.owner: dict[int, str] = {}
        self.joined: dict[str, str] = {}
        """Answers that were split in the middle, by key."""
        self.compared = 0
        self._words = functools.cache(words)
        self._defined = functools.cache(defined)
        self._ours = {text.strip() for text in released.values()}
        self._by_grade_id()
        self._by_cell_id()
        self._by_likeness()
        another = not any(self.matches[key] for key, cell in self.by_key.items() if grade_metadata(cell))
        self._by_position()
        if not another:
            self._remark()
        else:
            text = _("none of the assignment's cells is in the notebook: was another one handed in?")
            self.notes.append(Note("repair", text))
        self._settle_duplicates()
        self._answers_in_other_cells()
        self._join_halves()

    def _claim(self, index: int, key: str) -> None:
        self.matches[key].append(index)
        self.owner[index] = key

    def _release(self, index: int, key: str) -> None:
        self.matches[key].remove(index)
        del self.owner[index]

    def _free(self) -> list[int]:
        return [i for i in range(len(self.submitted)) if i not in self.owner]

    def _answers(self, cell_type: str) -> list[str]:
        return [k for k, c in self.by_key.items() if is_answer(c) and (c.cell_type == "code") == (cell_type == "code")]

    # ------------------------------------------------------------ four ways to find a cell

    def _by_grade_id(self) -> None:
        graded = {grade_metadata(c).get("grade_id"): key_of(c) for c in self.template if grade_metadata(c)}
        for i in self._free():
            key = graded.get(grade_metadata(self.submitted[i]).get("grade_id"))
            if key is not None:
                self._claim(i, key)

    def _by_cell_id(self) -> None:
        ids = {c.id: key_of(c) for c in self.template}
        for i in self._free():
            key = ids.get(self.submitted[i].id)
            if key is not None and not self.matches[key]:
                self._claim(i, key)

    def _by_likeness(self) -> None:
        """Cells that are word for word as handed out, then answers that define what is asked for, then near ones."""
        for test in (self._same, self._defines_the_same, self._alike):
            for key, cell in self.by_key.items():
                if self.matches[key]:
                    continue
                for i in self._free():
                    if test(cell, key, self.submitted[i]):
                        self._claim(i, key)
                        break

    def _same(self, _cell: NotebookNode, key: str, submitted: NotebookNode) -> bool:
        return bool(submitted.source.strip()) and submitted.source.strip() == self.released[key].strip()

    def _defines_the_same(self, cell: NotebookNode, key: str, submitted: NotebookNode) -> bool:
        if not is_answer(cell) or cell.cell_type != "code":
            return False
        return bool(self._defined(self.released[key]) & self._defined(submitted.source))

    def _alike(self, cell: NotebookNode, key: str, submitted: NotebookNode) -> bool:
        if is_answer(cell) and cell.cell_type == "code":
            return False  # an answer is recognised by what it defines or by its place
        ours, theirs = self._words(self.released[key]), self._words(submitted.source)
        shorter, longer = sorted((len(ours), len(theirs)))
        if 2 * shorter <= LIKENESS * (shorter + longer) or self.compared > MAX_COMPARED:
            return False
        self.compared += shorter * longer
        matcher = difflib.SequenceMatcher(None, ours, theirs, autojunk=False)
        return matcher.quick_ratio() > LIKENESS and matcher.ratio() > LIKENESS

    def _by_position(self) -> None:
        """An answer cell that nothing else recognises: the only free cell between its matched neighbours."""
        keys = list(self.by_key)
        for n, key in enumerate(keys):
            if self.matches[key] or not is_answer(self.by_key[key]):
                continue
            before = [i for k in keys[:n] for i in self.matches[k]]
            after = [i for k in keys[n + 1 :] for i in self.matches[k]]
            low, high = max(before, default=-1), min(after, default=len(self.submitted))
            text = self.by_key[key].cell_type != "code"
            fits = [i for i in self._free() if low < i < high and (self._is_text(i) if text else self._is_code(i))]
            if len({self.submitted[i].source.strip() for i in fits}) == 1:
                self._claim(fits[-1], key)

    def _is_code(self, i: int) -> bool:
        return self.submitted[i].cell_type == "code"

    def _is_text(self, i: int) -> bool:
        """Whether it is a text of the student's own; in a code cell, what Python cannot read counts as text."""
        cell = self.submitted[i]
        own = cell.source.strip() and cell.source.strip() not in self._ours
        return bool(own) and (cell.cell_type != "code" or not parses(cell.source))

    # ------------------------------------------------------------ what to tell

    def _remark(self) -> None:
        bare = 0
        for key, cell in self.by_key.items():
            found = self.matches[key]
            if not grade_metadata(cell):
                continue
            if len(found) > 1:
                text = _("cell {id} is there {n} times (a duplicate)")
                self.notes.append(Note("repair", text.format(id=key, n=len(found))))
            elif not found:
                text = _("cell {id} is missing; it was put back").format(id=key)
                self.notes.append(Note("repair", text))
            if found and not is_answer(cell):
                self._remark_on_ours(key, [self.submitted[i] for i in found])
            bare += any(grade_metadata(self.submitted[i]).get("grade_id") is None for i in found)
        if bare:
            text = _("{n} cells had lost their metadata; they were found by id, likeness or place").format(n=bare)
            self.notes.append(Note("repair", text))

    def _remark_on_ours(self, key: str, found: list[NotebookNode]) -> None:
        cell = self.by_key[key]
        points = grade_metadata(cell).get("points")
        ours = self.released[key].strip()
        if not any(has_lines(c.source, ours) and (cell.cell_type != "code" or has_code(c.source, ours)) for c in found):
            if cell.cell_type != "code":
                self.notes.append(Note("repair", _("the text {id} was edited; ours stands there").format(id=key)))
            elif any(has_code(c.source, ours) for c in found):
                text = _("cell {id} was reformatted; ours was run").format(id=key)
                self.notes.append(Note("repair", text))
            else:
                text = _("test cell {id} was edited; ours was run")
                if not is_graded(cell):
                    text = _("the locked cell {id} was edited; ours was run")
                self.notes.append(Note("suspicion", text.format(id=key)))
        if any(grade_metadata(c).get("points", points) != points for c in found):
            text = _("the points of cell {id} were changed; ours count").format(id=key)
            self.notes.append(Note("suspicion", text))

    # ------------------------------------------------------------ answers in odd places

    def _changed(self, key: str) -> list[int]:
        """The cells of an answer that are neither as handed out nor without any content."""
        stub, code = self.released[key].strip(), self.by_key[key].cell_type == "code"
        found = [i for i in self.matches[key] if self.submitted[i].source.strip() not in ("", stub)]
        telling = [i for i in found if not (code and says_nothing(self.submitted[i].source))]
        return telling or found

    def _settle_duplicates(self) -> None:
        """Of several changed cells with one id, the last before the next test stands for the cell.

        The others run where they stand, as they did for the student: they may be the halves of a split cell, an
        earlier try, or a try further down that must not reach the test.
        """
        for key in self.by_key:
            changed = self._changed(key)
            if len(self.matches[key]) < 2 or not changed:
                continue
            if is_answer(self.by_key[key]):
                counts = self._last_before_test(key, changed)
            elif len(changed) < len(self.matches[key]):
                counts = -1  # the test itself is there too; what was made of its copies is the student's own
            else:
                continue
            for i in set(changed) - {counts}:
                same = self.submitted[i].source == self.submitted[counts].source
                if not (same and self.by_key[key].cell_type != "code"):
                    self._release(i, key)

    def _last_before_test(self, key: str, cells: list[int]) -> int:
        end = self._test_of(key)
        return max((i for i in cells if i < end), default=cells[-1])

    def _test_of(self, key: str) -> int:
        """Where the next test behind an answer stands in the submission."""
        keys = list(self.by_key)[self.order[key] + 1 :]
        tests = (k for k in keys if is_graded(self.by_key[k]) and not is_answer(self.by_key[k]))
        return min(self.matches.get(next(tests, ""), []), default=len(self.submitted))

    def _answers_in_other_cells(self) -> None:
        """Where an answer cell is gone or defines nothing of what it asks for, take the cell that does.

        The two were merged, or the answer was typed into a cell of its own and the stub left where it was. Where two
        questions ask for the same name, an answer to one is none to the other.
        """
        asked = [name for key in self._answers("code") for name in self._defined(self.released[key])]
        for key in self._answers("code"):
            names = self._defined(self.released[key])
            changed = self._changed(key)
            if not names or any(asked.count(name) > 1 for name in names):
                continue
            if any(names & self._defined(self.submitted[i].source) for i in changed):
                continue
            others = [i for i in range(len(self.submitted)) if self._may_answer(i, key, names)]
            if not others or (changed and any(self._runs_before_test(i, key) for i in others)):
                if changed and not others:
                    self._remark_on_names(key, names, changed)
                continue
            index = self._last_before_test(key, others)
            for i in changed:
                self._release(i, key)  # runs in front of the answer, as a cell of the student's own
            if index in self.owner:
                self.matches[key].append(index)
            else:
                self._claim(index, key)
            self.notes.append(Note("repair", _("the answer to {id} stood in another cell").format(id=key)))

    def _runs_before_test(self, i: int, key: str) -> bool:
        owner = self.owner.get(i)
        return i < self._test_of(key) if owner is None else self.order[owner] < self.order[key]

    def _may_answer(self, i: int, key: str, names: set[str]) -> bool:
        source = self.submitted[i].source
        return self.owner.get(i) != key and source.strip() not in self._ours and names <= self._defined(source)

    def _remark_on_names(self, key: str, names: set[str], changed: list[int]) -> None:
        theirs = set().union(*(self._defined(self.submitted[i].source) for i in changed))
        if theirs:
            text = _("the answer to {id} defines {theirs}, and nothing defines {ours}; no name was changed")
            values = {"theirs": ", ".join(sorted(theirs)[:5]), "ours": ", ".join(sorted(names))}
            self.notes.append(Note("repair", text.format(id=key, **values)))

    def _join_halves(self) -> None:
        """An answer that was split in the middle of a function: put the pieces that stand side by side together."""
        for key in self._answers("code"):
            changed = self._changed(key)
            if not changed or parses(self.submitted[changed[-1]].source):
                continue
            at, mine = changed[-1], (None, key)
            windows = [
                range(first, last + 1)
                for first in range(max(0, at - MAX_HALVES + 1), at + 1)
                for last in range(at, min(len(self.submitted), at + MAX_HALVES))
                if 0 < last - first < MAX_HALVES and all(self.owner.get(i) in mine for i in range(first, last + 1))
            ]
            for window in sorted(windows, key=len):
                source = "\n".join(self.submitted[i].source for i in window)
                if self._defined(self.released[key]) <= self._defined(source) and parses(source):
                    for i in window:
                        if i not in self.owner:
                            self._claim(i, key)
                    self.joined[key] = source
                    text = _("the answer to {id} was split in the middle; its pieces were put together")
                    self.notes.append(Note("repair", text.format(id=key)))
                    break

    # ------------------------------------------------------------ what was found

    def answer(self, cell: NotebookNode) -> NotebookNode | None:
        """Return a cell with the student's answer, or None (the stub, or nothing). Tests merged into it are cut out."""
        key = key_of(cell)
        changed = self._changed(key)
        if not changed:
            return None
        found = NotebookNode(self.submitted[changed[-1]])
        source = self.joined.get(key, str(found.source))
        if cell.cell_type == "code":
            for test, ours in self.by_key.items():
                merged = is_graded(ours) and not is_answer(ours) and self.matches[test] in ([], [changed[-1]])
                if merged and self.released[test].strip():
                    source = without_lines(source, self.released[test].strip())
        found.source = source
        return found

    def extras(self) -> dict[str | None, list[NotebookNode]]:
        """The student's own cells, by the template cell behind which they stand (None: at the top).

        A cell of ours that students may edit, and that was edited, counts as such too: it runs after ours.
        """
        found: dict[str | None, list[NotebookNode]] = {}
        last: str | None = None
        for i, cell in enumerate(self.submitted):
            key = self.owner.get(i)
            if key is not None:
                last = key if last is None or self.order[key] >= self.order[last] else last
            own = cell if key is None else self._own_part(key, cell)
            if own is not None and own.source.strip():
                found.setdefault(last if key is None else key, []).append(own)
        return found

    def _own_part(self, key: str, cell: NotebookNode) -> NotebookNode | None:
        """What a student has made of a cell of ours: an edited demonstration, or text written behind ours."""
        ours, released = self.by_key[key], self.released[key].strip()
        if is_answer(ours) or cell.source.strip() == released:
            return None
        if ours.cell_type == "code":
            free = not grade_metadata(ours).get("locked") and not is_graded(ours)
            return cell if free and cell.cell_type == "code" else None
        rest = cell.source.replace(released, "", 1).strip() if released and released in cell.source else ""
        return NotebookNode({**cell, "source": rest}) if len(rest.split()) >= OWN_WORDS else None
