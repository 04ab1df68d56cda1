"""What an instructor reads and hands on: reports, adjustments, exports. Nothing here changes a score that was given.

| file | what belongs there |
|---|---|
| `adjustments.py` | adjustments.toml: what it may say, and the words when it says something else |
| `lateness.py` | what is taken off for lateness |
| `adjusted.py` | how everybody stands, with the adjusted score beside the one that was given |
| `exercises.py` | the exercises of an assignment, as the gradebook and results.json call them |
"""
