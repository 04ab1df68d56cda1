"""What `check` shows: first what went wrong first, why and hints on request, and what comes next."""

import re
from html.parser import HTMLParser
from typing import Any

from common.exercise.render import Offer, verdict_html, verdict_mimebundle, verdict_text

HOSTILE = "<script>alert(1)</script> & `<b>`"


def finding(symptom: str, **more: Any) -> dict[str, Any]:
    base = {"criterion": "a", "misconception": None, "why": "", "cases": ["case 1"], "detail": "", "picture": None}
    return base | {"symptom": symptom} | more


def verdict(*findings: dict[str, Any], passed: bool = False) -> dict[str, Any]:
    criteria = [
        {"name": "spliced in", "score": 2, "max_score": 2, "passed": True},
        {"name": "moved", "score": passed, "max_score": 1, "passed": passed},
    ]
    more = {"score": 2 + passed, "max_score": 3, "passed": passed, "criteria": criteria, "notes": []}
    return {"id": "m02_2.insert_after", "kind": "core", "status": "scored", "findings": list(findings)} | more


class Balanced(HTMLParser):
    """Every tag is closed in the right order, and `open` lists the tags around each text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.stack: list[str] = []
        self.texts: list[tuple[str, int]] = []
        self.feed(text)
        self.close()
        assert not self.stack

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.stack.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.stack.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append((data, self.stack.count("details")))

    def depth(self, words: str) -> int:
        """In how many <details> these words stand."""
        return next(depth for text, depth in self.texts if words in text)


def test_signs_carry_the_meaning_and_are_read_aloud() -> None:
    shown = verdict_html(verdict(finding("it is wrong")))
    assert '<span role="img" aria-label="right">✓</span> spliced in (2/2)' in shown
    assert '<span role="img" aria-label="wrong">✗</span> moved (0/1)' in shown
    assert 'role="group" aria-label="Result of the check of m02_2.insert_after"' in shown
    assert "✗ m02_2.insert_after: not yet (2 of 3 points)" in verdict_text(verdict(finding("it is wrong")))


def test_colours_are_the_pages_own() -> None:
    shown = verdict_html(verdict(finding("it is wrong", detail="asked for: 1; yours: 2", why="because")))
    assert not re.search(r"(?<![-\w])(color|background)\s*:", shown)
    Balanced(shown)


def test_the_first_finding_stands_open_and_why_is_folded() -> None:
    page = Balanced(verdict_html(verdict(*(finding(f"number {n}", why=f"idea {n}") for n in range(4)))))
    assert page.depth("number 0") == 0
    assert page.depth("idea 0") == 1
    assert page.depth("3 more findings") == page.depth("number 1") == 1
    graded = Balanced(verdict_html(verdict(finding("number 0", why="idea 0"), finding("number 1")), graded=True))
    assert graded.depth("idea 0") == graded.depth("number 1") == 0


def test_hints_unfold_one_after_the_other() -> None:
    offer = Offer(hints=("broad", "narrower", "nearly there"))
    page = Balanced(verdict_html(verdict(finding("wrong")), offer=offer))
    assert [page.depth(t) for t in ("Hint 1 of 3", "broad", "Hint 2 of 3", "narrower", "nearly there")] == [
        1,
        1,
        2,
        2,
        3,
    ]
    later = verdict_html(verdict(finding("wrong")), offer=Offer(hints=offer.hints, shown=2))
    assert "narrower" not in later and "Hint 3 of 3" in later
    assert "Hint 3 of 3" in verdict_html(verdict(finding("wrong")), offer=Offer(hints=offer.hints, shown=3))
    assert "Hint" not in verdict_html(verdict(finding("wrong")), offer=offer, graded=True)
    assert "Hint" not in verdict_html(verdict(passed=True), offer=offer)


def test_what_comes_next_stands_below_a_success_only() -> None:
    offer = Offer(next="Next: m02_2.build_manual")
    for made in verdict_mimebundle(verdict(passed=True), offer=offer).values():
        assert "Next: m02_2.build_manual" in made
    for made in verdict_mimebundle(verdict(finding("wrong")), offer=offer).values():
        assert "Next" not in made


def test_marked_places_are_told_in_words() -> None:
    picture = {"graph": {"nodes": [], "modules": {}}, "mark": ["spy", ["relu", "conv"]]}
    for made in verdict_mimebundle(verdict(finding("wrong", picture=picture))).values():
        assert "Marked in your graph: spy, relu → conv" in made


def test_a_long_detail_shows_its_last_line_first() -> None:
    detail = "\n".join([*(f"frame {n}" for n in range(6)), "ValueError: no"])
    page = Balanced(verdict_html(verdict(finding("wrong", detail=detail))))
    assert [depth for text, depth in page.texts if "ValueError: no" in text] == [0, 1]
    assert page.depth("frame 0") == page.depth("all 7 lines") == 1
    assert Balanced(verdict_html(verdict(finding("wrong", detail=detail)), graded=True)).depth("frame 0") == 0


def test_code_and_emphasis() -> None:
    shown = verdict_html(verdict(finding("`*args` of *all users*, 2 * 3 * 4, **kwargs, *a*b*")))
    assert "<code>*args</code> of <em>all users</em>, 2 * 3 * 4, **kwargs, *a*b*" in shown


def test_text_without_why() -> None:
    made = verdict(finding("wrong", why="because"))
    assert "Why: because" in verdict_text(made)
    assert "because" not in verdict_text(made, why=False)


def test_everything_is_escaped() -> None:
    picture = {"graph": {"nodes": [], "modules": {}}, "mark": [HOSTILE]}
    made = verdict(finding(HOSTILE, why=HOSTILE, detail=HOSTILE, cases=[HOSTILE], picture=picture))
    shown = verdict_html(made | {"id": HOSTILE}, offer=Offer(hints=(HOSTILE,)))
    assert "<script" not in shown and "<b>" not in shown
    Balanced(shown)
