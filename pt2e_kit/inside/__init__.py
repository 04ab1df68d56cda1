"""What runs inside the sandbox, apart from the student's code itself.

    grader ── socket ── supervisor (process 1 of its own namespace) ── pipes ── the student's process
                            ▲ forked for each submission
                         zygote: has imported the lesson's libraries, and never runs a student's code

- `zygote`: imports, proves that it may be forked, and forks a supervisor for each run
- `isolate`: namespaces, a private file system, limits
- `supervisor`: gives the student's process one cell after the other, keeps the limits, sends what happened
- `shell`: IPython in the student's process; `plain_test`: plain test cells, each in a process
  forked from it; `pristine`: what libraries were before, put back there; `untouched`: what has changed, read from memory
- `wire`: how they talk

Nothing here imports the rest of `pt2e_kit`: the grader's own code, and all that it knows, stays outside.
"""
