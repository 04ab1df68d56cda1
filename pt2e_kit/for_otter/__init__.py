"""The same exercises for otter-grader: test files for students, and an autograder for `otter run` and Gradescope.

otter is used through what it offers for that: test files, plugins, the files of its autograder zip. It never runs a
student's notebook here: the kit's own engine does, so that scores are those of `pt2e-kit grade`.
"""
