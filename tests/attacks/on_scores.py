"""Attacks on the score that a plain test shows: by its display, and by values that are no scores."""

from attack_kit import Attack

NONE = "def score_words(ws):\n    return []\n"
NO_SCORE = (2, 3, 0, None)
NOT_SHOWN = "a plain test whose last line shows nothing gets full marks, so that hiding the score is worth more than it"
NOTHING = "the score is read from the text that is shown, and whatever makes that text is the answer's to change"


ATTACKS = [
    Attack(
        "score_printed",
        "print the maximum",
        {"q3": "def score_words(ws):\n    print(4)\n    return []"},
        scores=NO_SCORE,
    ),
    Attack(
        "score_displayed",
        "display the maximum, and publish it as the result of the cell",
        {
            "q3": "from IPython.display import display\ndef score_words(ws):\n    display(4)\n"
            "    get_ipython().display_pub.publish({'text/plain': '4'}, metadata={})\n"
            "    getattr(get_ipython(), 'display' + 'hook')(4)\n    return []"
        },
        scores=NO_SCORE,
        told=("suspicion", "q3t"),
    ),
    Attack(
        "displayhook_shows_the_maximum",
        "replace sys.displayhook by one that shows 4 instead",
        {"q3": "import sys\n" + NONE + "sys.displayhook = lambda value, real=sys.displayhook: real(4)"},
        scores=NO_SCORE,
    ),
    Attack(
        "displayhook_class_shows_the_maximum",
        "patch the class of the shell's displayhook",
        {
            "q3": NONE + "kind = type(getattr(get_ipython(), 'display' + 'hook'))\nreal = kind.__call__\n"
            "kind.__call__ = lambda self, value=None: real(self, 4)"
        },
        scores=NO_SCORE,
    ),
    Attack(
        "displayhook_shows_nothing",
        "replace the displayhook by one that shows nothing",
        {
            "q3": NONE
            + "kind = type(getattr(get_ipython(), 'display' + 'hook'))\nkind.__call__ = lambda self, value=None: None"
        },
        scores=NO_SCORE,
    ),
    Attack(
        "formatter_shows_the_maximum",
        "register a formatter for int that writes 4",
        {
            "q3": NONE + "plain = get_ipython().display_formatter.formatters['text/plain']\n"
            "plain.for_type(int, lambda value, printer, cycle: printer.text('4'))"
        },
        scores=NO_SCORE,
    ),
    Attack(
        "pretty_printer_shows_the_maximum",
        "do so in IPython.lib.pretty",
        {
            "q3": NONE + "from IPython.lib import pretty\n"
            "pretty.for_type(int, lambda value, printer, cycle: printer.text('4'))"
        },
        scores=NO_SCORE,
    ),
    Attack(
        "interactivity_none",
        "configure IPython to show no results (%config)",
        {"q3": NONE + "%config InteractiveShell.ast_node_interactivity = 'none'"},
        scores=NO_SCORE,
    ),
    Attack(
        "semicolon_in_the_history",
        "write a semicolon behind the test in In, so that IPython shows no result",
        {"q3": "def score_words(ws):\n    In[-1] += ';'\n    return []"},
        scores=NO_SCORE,
    ),
    Attack(
        "outputs_are_captured",
        "capture what the following cells show, and leave the capture open",
        {
            "q3": NONE + "from IPython.utils.capture import capture_output\nopen_for_ever = capture_output()\n"
            "open_for_ever.__enter__()"
        },
        scores=NO_SCORE,
    ),
    Attack(
        "display_published_elsewhere",
        "replace the publisher of the shell by one that drops everything",
        {
            "q3": NONE + "shell = get_ipython()\n"
            "setattr(shell, 'display_' + 'pub', type('Drop', (type(getattr(shell, 'display_' + 'pub')),), "
            "{'publish': lambda *a, **k: None})(parent=shell))"
        },
        scores=NO_SCORE,
    ),
    # ---------------------------------------------------------------- values that are no scores
    Attack(
        "shown_numbers_that_are_none",
        "return nan, infinity, a negative number, True, more than the maximum, and a hair more",
        {
            "p1": "def p1():\n    return float('nan')",
            "p2": "def p2():\n    return float('inf')",
            "p3": "def p3():\n    return -1",
            "p4": "def p4():\n    return True",
            "p5": "def p5():\n    return 400",
            "p6": "def p6():\n    return 4.0000001",
        },
        where="shown",
        scores=(0, 0, 0, 0, 0, 0),
        told=("suspicion", "p1t", "p2t", "p3t", "p4t", "p5t", "p6t"),
    ),
    Attack(
        "shown_objects_that_are_no_numbers",
        "return a text, a list, a tuple, a complex number, None shown as text, a numeral of another script",
        {
            "p1": "def p1():\n    return '4'",
            "p2": "def p2():\n    return [4]",
            "p3": "def p3():\n    return (4,)",
            "p4": "def p4():\n    return 4 + 0j",
            "p5": "class Empty:\n    __repr__ = lambda self: ''\ndef p5():\n    return Empty()",
            "p6": "class Four:\n    __repr__ = lambda self: '\\u0664'\ndef p6():\n    return Four()",
        },
        where="shown",
        scores=(0, 0, 0, 0, 0, 0),
        told=("suspicion", "p1t", "p2t", "p3t", "p4t", "p5t", "p6t"),
    ),
    Attack(
        "shown_tensor",
        "return tensors and arrays of one element",
        {
            "p1": "import numpy\ndef p1():\n    return numpy.array(4)",
            "p2": "import numpy\ndef p2():\n    return numpy.array([4])",
            "p3": "import torch\ndef p3():\n    return torch.tensor(4)",
            "p4": "import torch\ndef p4():\n    return torch.tensor([4.0])",
        },
        where="shown",
        scores=(0, 0, 0, 0, 3, 3),
        told=("suspicion", "p1t", "p2t", "p3t", "p4t"),
    ),
    Attack(
        "shown_objects_with_a_lying_repr",
        "return objects that show 4: by __repr__, by pretty printing, by subclasses of str and int, by a mime bundle",
        {
            "p1": "class Four:\n    __repr__ = lambda self: '4'\ndef p1():\n    return Four()",
            "p2": "class Four2:\n    def _repr_pretty_(self, printer, cycle):\n        printer.text('4')\ndef p2():\n    return Four2()",
            "p3": "class Four3(str):\n    __repr__ = lambda self: '4'\ndef p3():\n    return Four3('x')",
            "p4": "class Four4(int):\n    __repr__ = lambda self: '4'\ndef p4():\n    return Four4(0)",
            "p5": "class Four5:\n    def _repr_mimebundle_(self, **k):\n        return {'text/plain': '4'}\ndef p5():\n    return Four5()",
            "p6": "class Four6:\n    def _ipython_display_(self):\n        print(4)\ndef p6():\n    return Four6()",
        },
        where="shown",
        scores=(0, 0, 0, 0, 0, 0),
        told=("suspicion", "p1t", "p2t", "p3t", "p4t", "p5t"),
    ),
    Attack(
        "shown_nothing",
        "return None where a score is to be shown",
        {f"p{n}": f"def p{n}():\n    return None" for n in range(1, 7)},
        where="shown",
        scores=(0, 0, 0, 0, 0, 0),
        told=("suspicion", "p1t"),
        xfail="a call that returns None shows nothing and gets full marks, as np.testing.assert_allclose() does and must",
    ),
    Attack(
        "shown_twice",
        "show the maximum first and return nothing",
        {
            "p1": "def p1():\n    getattr(get_ipython(), 'display' + 'hook')(4)",
            "p2": "import sys\ndef p2():\n    sys.displayhook(4)\n    return 0",
            "p3": "def p3():\n    raise SystemExit(4)",
        },
        where="shown",
        scores=(0, 0, 0, 3, 3, 3),
        told=("suspicion", "p2t"),
        xfail="where a test's own last line shows nothing, the result that the answer has shown before is taken for its",
    ),
]
