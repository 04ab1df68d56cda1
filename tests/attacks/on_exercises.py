"""Attacks on the kit's own exercises: only what the judge recomputes from evidence may earn points."""

from attack_kit import RANGES_ANSWER, RANGES_WRONG, Attack
from grading_kit import INSERT_AFTER

NO_POINTS = (0,)
FULL = (4,)

# In the student's process: where evidence goes, and what a piece of it looks like.
FORGE = """
import hashlib, json, os, uuid
from pathlib import Path
folder = Path(os.environ['PT2E_KIT_' + 'EVIDENCE'])
def digest(case):
    return hashlib.sha256(json.dumps({'seed': 0} | dict(case), sort_keys=True).encode()).hexdigest()
def forge(exercise, digest, facts, **more):
    text = json.dumps({'schema': 'pt2e-kit.evidence/1', 'exercise': exercise, 'case': digest, 'status': 'done',
                       'exception': None, 'facts': facts, 'stdout': ''} | more)
    (folder / f'{exercise}-{digest[:12]}-{uuid.uuid4().hex[:8]}.json').write_text(text)
def right(lo, hi):
    lo, hi = min(lo, 0.0), max(hi, 0.0)
    scale = max((hi - lo) / 255, 2**-12)
    return {'pair': True, 'scale': scale, 'zero_point': max(-128, min(127, round(-128 - lo / scale)))}
"""

PUBLIC = """
public = [
    [[-1.0, 1.0], [-0.5, 2.0], [0.0, 6.0]], [[-1.0, 1.0], [0.2, 3.0], [-6.0, -2.0]],
    [[-1.0, 1.0], [-1.3, 2.2], [-0.03, 0.01]], [[-1.0, 1.0], [-2.0, 0.0], [0.0, 2.0], [-0.00001, 0.00002], [0.0, 0.0]]]
"""

HIDE = """
import importlib
def reach(*parts):
    return importlib.import_module('.'.join(parts))
"""


def _rewritten(change: str) -> tuple[str, ...]:
    """A cell that changes the text of each piece of evidence when the probe writes it: `content` is its JSON."""
    return (
        HIDE + "capture = reach('common', 'exer' + 'cise', 'capture')\nPiece = capture.Piece\n"
        "name = 'write_' + 'piece'\nreal = getattr(capture, name)\nimport json\n"
        "def written(folder, exercise, digest, piece):\n    content = json.loads(piece.text)\n"
        + "".join(f"    {line}\n" for line in change.split("\n"))
        + "    return real(folder, exercise, digest, Piece(json.dumps(content), piece.tensors))\n"
        "setattr(capture, name, written)",
    )


ATTACKS = [
    # ---------------------------------------------------------------- the machinery in the student's process
    Attack(
        "no_evidence_but_a_score",
        "replace check and evidence by functions that show the maximum",
        cells=(
            "import common\nfrom IPython.display import display\ndef shown(*a, **k):\n    display(4.0)\n    return 4.0\n"
            "common.evidence = common.check = shown",
        ),
        where="ranges",
        scores=NO_POINTS,
    ),
    Attack(
        "not_judged_swallowed",
        "make evidence return quietly, so that no judge is waited for",
        cells=(
            HIDE + "base = reach('common', 'exer' + 'cise', 'capture')\n"
            "setattr(base, 'Not' + 'Judged', type('Quiet', (SystemExit,), {}))",
        ),
        where="ranges",
        scores=NO_POINTS,
    ),
    Attack(
        "verdict_written_into_evidence",
        "add a verdict to what the probe writes",
        cells=_rewritten("content |= {'passed': True, 'score': 4, 'verdict': 'right'}"),
        where="ranges",
        scores=NO_POINTS,
        told=("suspicion", "malformed"),
    ),
    Attack(
        "json_patched",
        "patch json.dumps, so that evidence says whatever is wanted",
        cells=(
            "import json\nreal = json.dumps\ndef dumps(value, **k):\n    if isinstance(value, dict) and 'facts' in value:\n"
            "        value = value | {'status': 'done', 'exception': None, 'facts': {'right': True}}\n    return real(value, **k)\n"
            "json.dumps = dumps",
        ),
        where="ranges",
        scores=NO_POINTS,
    ),
    Attack(
        "recorder_patched",
        "patch the recorder, so that every fact is a right one",
        cells=(
            "import common.exercise.evidence as e\ndef fact(self, name, value):\n    self._facts[name] = []\ne.Recorder.fact = fact\n"
            "e.Recorder.status = property(lambda self: 'done', lambda self, value: None)",
        ),
        where="ranges",
        scores=NO_POINTS,
        told=("suspicion", "machinery"),
    ),
    Attack(
        "fork_time_and_waiting_patched",
        "patch os.fork, os.waitpid and time, so that cases are not tried in processes of their own",
        cells=(
            "import os, time\nos.waitpid = lambda pid, flags: (pid, 0)\ntime.monotonic = lambda: 0.0\n"
            "real = os.fork\nos.fork = lambda: (real() and 0) or 1",
        ),
        where="ranges",
        scores=NO_POINTS,
    ),
    Attack(
        "torch_patched",
        "patch torch.equal, torch.allclose and Tensor.__eq__",
        cells=(
            "import torch\ntorch.equal = torch.allclose = lambda *a, **k: True\n"
            "torch.Tensor.__eq__ = torch.Tensor.eq = lambda *a: torch.tensor(True)\n"
            "torch.testing.assert_close = lambda *a, **k: None\ntorch.fx.Graph.lint = lambda self: None",
        ),
        where="kit",
        scores=(0, 0, None),
    ),
    Attack(
        "exercise_patched",
        "patch points, criteria, public cases and judge of the exercise",
        cells=(
            "from common.exercise import find_exercise\ne = find_exercise('m01_1.qparams_from_range')\nkind = type(e)\n"
            "kind.criteria = {'all': 400}\nkind.public_cases = ()\nkind.judge = lambda *a: iter(())\nkind.kind = 'prediction'",
        ),
        where="ranges",
        scores=NO_POINTS,
    ),
    Attack(
        "transformers_on_exercises",
        "rewrite the calls of evidence by an AST transformer",
        cells=(
            "import ast\nclass Other(ast.NodeTransformer):\n    def visit_Call(self, node):\n        self.generic_visit(node)\n"
            "        return ast.copy_location(ast.Constant(4.0), node) if getattr(node.func, 'id', '') == 'evidence' else node\n"
            "getattr(get_ipython(), 'ast_' + 'transformers').append(Other())",
        ),
        where="ranges",
        scores=NO_POINTS,
    ),
    # ---------------------------------------------------------------- evidence
    Attack(
        "evidence_doubled",
        "add right evidence beside that of the wrong answer",
        {"ranges": RANGES_WRONG},
        cells=(
            FORGE + PUBLIC + "for ranges in public:\n"
            "    forge('m01_1.qparams_from_range', digest({'ranges': ranges}), {'answers': [right(*r) for r in ranges]})",
        ),
        where="ranges",
        scores=NO_POINTS,
        told=("suspicion", "2 pieces of evidence for one case"),
    ),
    Attack(
        "evidence_from_scratch",
        "forge evidence for the public cases, and let the true probe write none",
        cells=(
            FORGE + PUBLIC + "for ranges in public:\n"
            "    forge('m01_1.qparams_from_range', digest({'ranges': ranges}), {'answers': [right(*r) for r in ranges]})\n"
            "import common\ncommon.evidence = lambda *a, **k: None",
        ),
        where="ranges",
        scores=NO_POINTS,
    ),
    Attack(
        "evidence_replayed_from_another_case",
        "answer every case with the evidence of one that it has solved",
        cells=(
            FORGE + PUBLIC + "ranges = public[0]\nimport common\ndef replayed(exercise, cases=()):\n"
            "    for case in [{'ranges': r} for r in public] + list(cases):\n"
            "        forge(exercise, digest(case), {'answers': [right(*r) for r in ranges]})\ncommon.evidence = replayed",
        ),
        where="ranges",
        scores=NO_POINTS,
    ),
    Attack(
        "evidence_replayed_from_another_exercise",
        "rename the evidence of a solved exercise to that of one that is not solved",
        cells=(
            FORGE + "import common\nreal = common.evidence\ndef replayed(exercise, cases=()):\n"
            "    for case in [{'model': 'conv_relu', 'node': 'relu', 'name': 'spy'}, *cases]:\n"
            "        forge(exercise, digest(case), {'answer': ['larger', 'same', 'same', 'larger']})\n"
            "    real('m02_2.switch_story')\ncommon.evidence = replayed",
        ),
        where="kit",
        scores=(0, 0, None),
        told=("suspicion", "malformed"),
    ),
    Attack(
        "evidence_for_no_case",
        "add evidence with digests of no case, of exercises that there are not, and malformed pieces of every kind",
        {"ranges": RANGES_ANSWER},
        cells=(
            FORGE + "forge('m01_1.qparams_from_range', 'f' * 64, {'answers': []})\nforge('m99_9.none', '0' * 64, {})\n"
            "(folder / 'a.json').write_text('{')\n(folder / 'b.json').write_text('[' * 100_000 + ']' * 100_000)\n"
            "(folder / 'c.json').write_text('{\"exercise\": NaN, \"case\": 1e999}')\n(folder / 'd.json').write_bytes(b'\\xff' * 9)\n"
            '(folder / \'e.json\').write_text(\'{"exercise": "x", "case": "y", "fill": "\' + \'x\' * 5_000_000 + \'"}\')\n'
            "os.symlink('@SECRET@', folder / 'f.json')\nos.symlink('/dev/zero', folder / 'g.json')\nos.mkfifo(folder / 'h.json')\n"
            "(folder / '\\x1b[2J=cmd\\n.json').write_text('{}')\n(folder / 'i.exe').write_text('x')",
        ),
        where="ranges",
        scores=FULL,
        told=("suspicion", "belong to no case", "not ours", "cannot be read"),
    ),
    Attack(
        "evidence_too_large",
        "make its own evidence larger than is read",
        cells=_rewritten("content['stdout'] = 'x' * 6_000_000"),
        where="ranges",
        scores=NO_POINTS,
        told=("suspicion", "cannot be read|larger than|malformed"),
    ),
    Attack(
        "evidence_of_odd_numbers",
        "record nan, infinity, numbers of 4000 digits and texts for numbers",
        {"ranges": "def qparams_from_range(lo, hi):\n    return float('nan'), float('inf')"},
        cells=_rewritten(
            "for answer in content['facts'].get('answers', [])[1:]:\n"
            "    answer |= {'scale': 10 ** 4000, 'zero_point': {'float': 'nan', 'more': 1}}"
        ),
        where="ranges",
        scores=NO_POINTS,
    ),
    Attack(
        "evidence_says_we_failed",
        "say that the check itself broke, so that somebody gives the points by hand",
        cells=_rewritten(
            "content |= {'status': 'broken', 'exception': {'type': '<script>alert(1)</script>', 'message': '=cmd\\x1b[2J',\n"
            "            'frames': ['<img src=x onerror=alert(1)>']}}"
        ),
        where="ranges",
        scores=NO_POINTS,
        told=("any", "check itself failed"),
    ),
    Attack(
        "evidence_that_breaks_the_judge",
        "record a graph that a judge cannot rebuild, or not in its memory, so that grading fails",
        {
            "insert_after": "from common.graph_utils import *\n" + "def insert_after(gm, node, module, name):\n"
            "    gm.add_submodule(name, module)\n    with gm.graph.inserting_after(node):\n"
            "        new = gm.graph.call_module(name, (node,))\n"
            "    node.replace_all_uses_with(new, delete_user_cb=lambda user: user is not new)\n    return new"
        },
        cells=_rewritten(
            "graph = content['facts'].get('after')\nif graph:\n"
            "    at = [n['op'] for n in graph['nodes']].index('call_function')\n"
            "    one = {'name': 'huge', 'op': 'call_function', 'target': 'aten.ones.default', 'args': [[1 << 36]], 'kwargs': {}}\n"
            "    graph['nodes'].insert(at, one)"
        ),
        where="kit",
        scores=(0, 0, None),
    ),
    Attack(
        "evidence_that_calls_the_system",
        "record a graph with a call of os.system, for the judge to run",
        {"insert_after": INSERT_AFTER},
        cells=_rewritten(
            "graph = content['facts'].get('after')\nif graph:\n"
            "    one = {'name': 'evil', 'op': 'call_function', 'target': 'os.system', 'args': ['touch /tmp/@MARK@'], 'kwargs': {}}\n"
            "    graph['nodes'].insert(1, one)"
        ),
        where="kit",
        scores=(0, 0, None),
        told=("suspicion", "malformed"),
    ),
    Attack(
        "evidence_with_a_bad_block_of_tensors",
        "record tensors whose header promises more than there is",
        {
            "insert_after": "def insert_after(gm, node, module, name):\n"
            "    gm.add_submodule(name, module)\n    with gm.graph.inserting_after(node):\n"
            "        new = gm.graph.call_module(name, (node,))\n"
            "    node.replace_all_uses_with(new, delete_user_cb=lambda user: user is not new)\n    return new"
        },
        cells=(
            "import safetensors.torch\nsafetensors.torch.save = lambda tensors: (1 << 60).to_bytes(8, 'little') + b'{}'",
        ),
        where="kit",
        scores=(0, 0, None),
        told=("suspicion", "malformed"),
    ),
    Attack(
        "one_fact_forged",
        "insert a copy of the module, and record that it is the given one",
        {
            "insert_after": "import copy\ndef insert_after(gm, node, module, name):\n    module = copy.deepcopy(module)\n"
            "    gm.add_submodule(name, module)\n    with gm.graph.inserting_after(node):\n"
            "        new = gm.graph.call_module(name, (node,))\n"
            "    node.replace_all_uses_with(new, delete_user_cb=lambda user: user is not new)\n    return new"
        },
        cells=_rewritten("if 'after' in content['facts']:\n    content['facts']['module_is_the_given_one'] = True"),
        where="kit",
        scores=(3, 0, None),
        earns="noted",
    ),
    # ---------------------------------------------------------------- somebody else does the work
    Attack(
        "shortcut_plain",
        "let the library's observer do the work",
        {
            "ranges": "import torch\nfrom torchao.quantization.pt2e import MinMaxObserver\n"
            "def qparams_from_range(lo, hi):\n    o = MinMaxObserver(dtype=torch.int8, qscheme=torch.per_tensor_affine, eps=2**-12)\n"
            "    o(torch.tensor([lo, hi]))\n    s, z = o.calculate_qparams()\n    return float(s), int(z)"
        },
        where="ranges",
        scores=NO_POINTS,
    ),
    Attack(
        "shortcut_by_another_name",
        "do so under another name, in a helper, by getattr",
        {
            "ranges": "import torch\nimport torchao.quantization.pt2e as library\nkind = getattr(library, 'MinMaxObserver')\n"
            "def helper(lo, hi):\n    o = kind(dtype=torch.int8, qscheme=torch.per_tensor_affine, eps=2**-12)\n"
            "    o(torch.tensor([lo, hi]))\n    s, z = o.calculate_qparams()\n    return float(s), int(z)\nqparams_from_range = helper"
        },
        where="ranges",
        scores=NO_POINTS,
    ),
    Attack(
        "shortcut_put_together",
        "do so with names that are put together from pieces",
        {
            "ranges": "import torch\nimport torchao.quantization.pt2e as library\n"
            "def qparams_from_range(lo, hi):\n"
            "    o = vars(library)['MinMax' + 'Observer'](dtype=torch.int8, qscheme=torch.per_tensor_affine, eps=2**-12)\n"
            "    o(torch.tensor([lo, hi]))\n    s, z = getattr(o, 'calculate_' + 'qparams')()\n    return float(s), int(z)"
        },
        where="ranges",
        scores=NO_POINTS,
        earns="noted",
    ),
    Attack(
        "judges_own_reference",
        "import the judge's reference from the kit",
        {
            "ranges": "import common.checks.m01_1.qparams_from_range as judge\ndef qparams_from_range(lo, hi):\n"
            "    return judge._scale(lo, hi), judge._zero(lo, hi)"
        },
        where="ranges",
        scores=NO_POINTS,
        earns="noted",
        told=("suspicion", "common.checks"),
    ),
    Attack(
        "judges_own_reference_by_another_name",
        "do so without naming it in the source",
        {
            "ranges": HIDE + "judge = reach('common', 'che' + 'cks', 'm01_1', 'qparams_from_range')\n"
            "def qparams_from_range(lo, hi):\n    return judge._scale(lo, hi), judge._zero(lo, hi)"
        },
        where="ranges",
        scores=NO_POINTS,
        earns="noted",
        xfail="the judges' references lie in the sandbox (/kit/common/checks) and can be reached by a name put together",
    ),
    Attack(
        "answers_from_frames",
        "look for the case in the frames above and in gc, and for what the judge wants in them",
        {
            "ranges": "import gc, sys\ndef qparams_from_range(lo, hi):\n    frame = sys._getframe(1)\n    while frame:\n"
            "        for name, value in list(frame.f_locals.items()):\n"
            "            if name in ('expected', 'wanted', 'reference', 'scale', 'zero_point'):\n                return value\n"
            "        frame = frame.f_back\n    return 1.0, 0"
        },
        where="ranges",
        scores=NO_POINTS,
    ),
    Attack(
        "number_that_is_any_number",
        "return numbers with operators of their own, that are equal and near to everything",
        {
            "ranges": "class Any(float):\n    def __eq__(self, other):\n        return True\n    __hash__ = float.__hash__\n"
            "    def __sub__(self, other):\n        return 0.0\n    __rsub__ = __sub__\n    def __float__(self):\n        return self\n"
            "def qparams_from_range(lo, hi):\n    return Any(1), Any(0)"
        },
        where="ranges",
        scores=NO_POINTS,
    ),
    Attack(
        "script_in_a_verdict",
        "get scripts into findings: by the names of parameters, types and exceptions",
        {
            "ranges": "def _f():\n    pass\nimport inspect\nclass Named:\n    __signature__ = '<img src=x onerror=alert(1)>'\n"
            "    def __call__(self, lo, hi):\n        raise type('<script>alert(1)</script>', (Exception,), {})('</pre><svg onload=alert(1)>')\n"
            "qparams_from_range = Named()"
        },
        where="ranges",
        scores=NO_POINTS,
    ),
    Attack(
        "script_in_a_graph",
        "get scripts into the picture of a wrong graph",
        {
            "insert_after": "def insert_after(gm, node, module, name):\n    gm.add_submodule(name, module)\n"
            "    with gm.graph.inserting_after(node):\n        new = gm.graph.call_module(name, (node,))\n"
            "    new.name = new._name = '</svg><script>alert(1)</script>'\n    node._name = '\\x1b[2J\"><img src=x onerror=alert(1)>'\n    return new"
        },
        where="kit",
        scores=(3, 0, None),
        earns="less",
    ),
    Attack(
        "daemon_of_a_hidden_case",
        "leave a process from a hidden case that adds evidence later",
        {
            "ranges": "import os, subprocess, sys\ndef qparams_from_range(lo, hi):\n"
            "    subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(300)', '@MARK@'], start_new_session=True)\n"
            "    return 1.0, 0"
        },
        where="ranges",
        scores=NO_POINTS,
        lasting=True,
        unsafe="it leaves processes",
    ),
    # ---------------------------------------------------------------- the lessons as they are
    Attack(
        "everything_at_once_m02_2",
        "patch all that can be patched, with the stubs of the lesson left in place",
        cells=(
            "import builtins, common, json, torch\nfrom IPython.display import display\n"
            "common.evidence = common.check = lambda *a, **k: display(100)\ntorch.equal = torch.allclose = lambda *a, **k: True\n"
            "json.dumps = lambda *a, **k: '{}'\nget_ipython().showtraceback = lambda *a, **k: None\n"
            "builtins.abs = lambda x: 0\nbuiltins.isinstance = isinstance",
        ),
        where="m02_2",
        scores=(0, 0, 0, 0, 0, 0),
        told=("suspicion", "showtraceback"),
    ),
    Attack(
        "links_and_modules_m01_1",
        "shadow common, torch and torchao by modules beside the notebook, with the stubs left in place",
        files={
            "common/__init__.py": "def check(*a, **k): print(4.0)\nevidence = hint = lesson = check\n",
            "torch.py": "raise SystemExit\n",
            "torchao/__init__.py": "",
            "json.py": "raise SystemExit\n",
            "links": "-> @SECRET@",
        },
        where="m01_1",
        scores=(0, 0, 0, 0, 0, 0),
    ),
]
