"""Why an exercise is solved so, and another way: comments at the end of an instructor's solution.

    ### BEGIN SOLUTION
    return x.abs().max()
    # Why so: the range must hold every value.
    # Another way: compare both ends.
    # ```python
    # def largest(x):
    #     return max(x.max(), -x.min())
    # ```
    ### END SOLUTION

Students never see them, since they stand in the solution. In solutions/ they become a Markdown cell below the answer.
"""

import re
import textwrap
from dataclasses import dataclass

WHY, ANOTHER = "Why so:", "Another way:"
_BEGIN = re.compile(rf"^[ \t]*# {WHY}", re.MULTILINE)
_COMMENT = re.compile(r"[ \t]*#(?!##)")
_FENCED = re.compile(r"^```python\n(.*?)^```", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Explained:
    """What an instructor says about a solution, in Markdown; empty where nothing is said."""

    why: str = ""
    another: str = ""

    @property
    def code(self) -> str:
        """The other way as source, a whole answer; empty where there is none."""
        found = _FENCED.search(self.another)
        return found[1] if found else ""

    @property
    def markdown(self) -> str:
        """Both, for a cell of their own; empty where nothing is said."""
        parts = [(WHY, self.why), (ANOTHER, self.another)]
        return "\n\n".join(f"**{title[:-1]}.** {text[:1].upper()}{text[1:]}" for title, text in parts if text)


def split_explained(source: str) -> tuple[str, Explained]:
    """Take the comments out of an answer cell's source; return what is left, and what they say."""
    begin = _BEGIN.search(source)
    if begin is None:
        return source, Explained()
    comment = []
    for line in source[begin.start() :].splitlines(keepends=True):
        if not _COMMENT.match(line):
            break
        comment.append(line)
    left = source[: begin.start()] + source[begin.start() + sum(map(len, comment)) :]
    text = re.sub(r"^# ?", "", textwrap.dedent("".join(comment)), flags=re.MULTILINE)
    why, _mark, another = text.partition(f"\n{ANOTHER}")
    return left, Explained(why.removeprefix(WHY).strip(), another.strip())
