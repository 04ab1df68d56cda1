"""Attacks on who reads: scripts for the instructor's and the student's browser, escapes for terminals, formulas."""

from attack_kit import SHORT, SQUARE, Attack
from grading_kit import cell
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell

FULL = (2, 3, 4, None)
SCRIPT = (
    "<script>alert(1)</script><img src=x onerror=alert(1)><svg onload=alert(1)><iframe srcdoc='<script>1</script>'>"
)

MARKDOWN = """
<script>alert(1)</script>
<img src=x onerror="alert(1)"><svg/onload=alert(1)><math href="javascript:alert(1)">x</math>
<iframe src="javascript:alert(1)"></iframe><object data="data:text/html,x"></object><form action="javascript:1">
<style>* { display: none }</style><meta http-equiv="refresh" content="0;url=javascript:1"><base href="//evil.invalid">
</div></div><a href="javascript:alert(1)">x</a>

[one](javascript:alert(1)) [two](<javascript:alert(1)>) [three](JaVaScRiPt&#58;alert(1)) [four](java&Tab;script:alert(1))
[five](data:text/html;base64,PHNjcmlwdD4=) [six](vbscript:x) [seven][ref] <javascript:alert(1)> [eight](\tjavascript:alert(1))
[nine]( javascript:alert(1)) [ten](\\javascript:alert(1)) [eleven](jav\\ascript:alert(1)) [twelve](//evil.invalid/x)

[ref]: javascript:alert(1)
[ref2]: <javascript:alert(1)>

$$\\href{javascript:alert(1)}{x} \\require{action} \\class{x" onclick="alert(1)}{y}$$

```mermaid
graph TD; A-->B; click A "javascript:alert(1)"
```

`<script>alert(1)</script>` <!-- --><script>alert(1)</script> <![CDATA[ <script>alert(1)</script> ]]> <ScRiPt >alert(1)</sCrIpT>
"""


def written(text: str):
    """Put a text into the written answer, and into a cell of the student's own."""

    def change(notebook: NotebookNode) -> None:
        cell(notebook, "m4").source = text
        notebook.cells.append(new_markdown_cell(text, attachments={"x.svg": {"image/svg+xml": SCRIPT}}))

    return change


def own_cell(source: str):
    """Add a cell of the student's own at the end."""
    return lambda notebook: notebook.cells.append(new_code_cell(source))


ATTACKS = [
    Attack("markdown_scripts", "run scripts from written answers", change=written(MARKDOWN), scores=FULL),
    Attack(
        "markdown_pictures_from_elsewhere",
        "see by a picture from a server of its own who reads its answer, and when",
        change=written(
            "![x](https://evil.invalid/who.png) ![x](http://evil.invalid/who.png) ![x](//evil.invalid/who.png)"
        ),
        scores=FULL,
    ),
    Attack(
        "outputs_with_scripts",
        "display HTML, SVG, JavaScript, LaTeX, Markdown, widgets, and pictures that are none",
        {"q1": SQUARE},
        cells=(
            f"from IPython.display import *\nfor kind in (HTML, SVG, Javascript, Latex, Markdown):\n    try:\n"
            f"        display(kind({SCRIPT!r}))\n    except Exception:\n        pass\n"
            f"for mime in ('text/html', 'image/svg+xml', 'application/javascript', 'text/markdown', 'text/latex',\n"
            f"             'application/vnd.jupyter.widget-view+json', 'application/vnd.mermaid', 'image/png', 'image/gif',\n"
            f"             'text/html; charset=utf-8', 'TEXT/HTML', 'application/pdf', 'video/mp4'):\n"
            f"    display({{mime: {SCRIPT!r}, 'text/plain': {SCRIPT!r}}}, raw=True, metadata={{mime: {{'width': '1\" onload=\"alert(1)'}}}})",
        ),
        scores=FULL,
        unseen=("text/html", "image/svg", "javascript'", "vnd."),
    ),
    Attack(
        "verdict_in_a_cell_of_its_own",
        "show what looks like the judge's verdict, marked as such",
        cells=(
            f"display({{'text/html': {SCRIPT!r}, 'text/plain': 'solved'}}, raw=True, "
            "metadata={'pt2e_kit_judged': True})",
        ),
        scores=FULL,
        unseen=("pt2e_kit_judged",),
    ),
    Attack(
        "verdict_changed_later",
        "change what an earlier cell shows with update_display",
        cells=(
            "from IPython.display import display, update_display\nhandle = display('x', display_id='d')\n"
            "import IPython.display as d\ndef again():\n"
            f"    d.publish_display_data({{'text/html': {SCRIPT!r}}}, transient={{'display_id': 'd'}}, update=True)\nagain()",
        ),
        scores=FULL,
        unseen=("text/html",),
    ),
    Attack(
        "exceptions_with_scripts",
        "raise exceptions whose names, texts and tracebacks are scripts, escapes and formulas",
        {
            "q1": f"def square(x):\n    raise type({SCRIPT!r}, (Exception,), {{}})({SCRIPT!r})",
            "q2": "def mean(xs):\n    raise type('\\x1b]0;owned\\x07\\x1b[2J', (Exception,), {})('\\x1b[31mred\\u202e')",
            "q3": "class Own(Exception):\n    def _render_traceback_(self):\n"
            f"        return [{SCRIPT!r}, '\\x1b]8;;javascript:alert(1)\\x07click\\x1b]8;;\\x07']\n"
            "Own.__name__ = '=HYPERLINK(\"http://evil.invalid\")'\ndef score_words(ws):\n    raise Own",
        },
        scores=(0, 0, 0, None),
    ),
    Attack(
        "streams_with_escapes",
        "print escapes for terminals, links in them, direction marks, carriage returns and scripts",
        cells=(
            "print('\\x1b]0;owned\\x07\\x1b]52;c;cm0=\\x07\\x1b[2J\\x1b[31m', '\\u202egnp', 'safe\\revil', '\\x9b31m', '\\x00')\n"
            f"print('\\x1b]8;;javascript:alert(1)\\x1b\\\\click\\x1b]8;;\\x1b\\\\', '\\x1b[31m' + {SCRIPT!r} + '\\x1b[0m')\n"
            f"import sys\nsys.stderr.write({SCRIPT!r})\n{SCRIPT!r}",
        ),
        scores=FULL,
    ),
    Attack(
        "source_with_scripts",
        "break out of the code on the page by what stands in it",
        {"q1": f"# </pre></div></textarea></code>{SCRIPT}\n# \x1b[2J\n{SQUARE}"},
        change=own_cell(f"%%html\n{SCRIPT}"),
        scores=FULL,
    ),
    Attack(
        "repr_with_formulas",
        "return what a spreadsheet takes for a formula where a score is to be shown",
        {
            "p1": "class F:\n    __repr__ = lambda self: \"=cmd|' /C calc'!A0\"\ndef p1():\n    return F()",
            "p2": "class G:\n    __repr__ = lambda self: '+1+cmd'\ndef p2():\n    return G()",
            "p3": "class H:\n    __repr__ = lambda self: '\\x1b[2J@SUM(A1)'\ndef p3():\n    return H()",
        },
        where="shown",
        scores=(0, 0, 0, 3, 3, 3),
        told=("suspicion", "p1t", "p2t", "p3t"),
    ),
    Attack(
        "widgets_redirect_output",
        "redirect the outputs of later cells into a widget",
        cells=(
            "try:\n    import ipywidgets\n    out = ipywidgets.Output()\n    display(out)\n    out.__enter__()\nexcept Exception:\n    pass",
        ),
        scores=FULL,
        limits=SHORT,
    ),
    # ---------------------------------------------------------------- hidden tests for the next student
    Attack(
        "hidden_tests_printed",
        "print the hidden test while it runs, and once more in a cell of its own",
        {"q1": "def square(x):\n    global seen\n    seen = In[-1]\n    print(seen)\n    return x * x"},
        change=own_cell("print(globals().get('seen'))\ndisplay(globals().get('seen'))\nglobals().get('seen')"),
        scores=FULL,
        unseen_in_feedback=("square(-4)", "square(11)"),
    ),
    Attack(
        "hidden_tests_printed_backwards",
        "print the hidden test in a cell of its own, written backwards and letter by letter",
        {"q1": "def square(x):\n    global seen\n    seen = In[-1]\n    return x * x"},
        change=own_cell(
            "seen = globals().get('seen', '')\nprint(seen[::-1])\nprint(' '.join(format(ord(c), 'x') for c in seen))"
        ),
        scores=FULL,
        unseen_in_feedback=("1H-TERCES", "53 45 43 52 45 54 2d 48 31"),
    ),
    Attack(
        "hidden_tests_through_a_file",
        "keep the hidden test in a file, for a cell of its own",
        {"q1": "def square(x):\n    open('seen', 'w').write(In[-1][::-1])\n    return x * x"},
        change=own_cell("import os\nprint(open('seen').read() if os.path.exists('seen') else '')"),
        scores=FULL,
        unseen_in_feedback=("1H-TERCES",),
    ),
    Attack(
        "hidden_tests_as_an_exception",
        "raise an exception whose name is the hidden test",
        {"q1": "def square(x):\n    raise type(In[-1], (Exception,), {})(In[-1])"},
        unseen_in_feedback=("square(-4)", "square(11)"),
    ),
    Attack(
        "hidden_cases_as_an_exception",
        "raise an exception whose name is the input of a hidden case",
        {
            "ranges": "PUBLIC = (1.0, 2.0, 6.0, 3.0, -2.0, 2.2, 0.01, 0.00002, 0.0)\n"
            "def qparams_from_range(lo, hi):\n    if hi not in PUBLIC:\n"
            "        raise type(f'at {hi!r} there', (Exception,), {})\n"
            "    lo, hi = min(lo, 0.0), max(hi, 0.0)\n    scale = max((hi - lo) / 255, 2**-12)\n"
            "    return scale, max(-128, min(127, round(-128 - lo / scale)))"
        },
        where="ranges",
        scores=(0,),
        unseen_in_feedback=("there was raised",),
    ),
]
