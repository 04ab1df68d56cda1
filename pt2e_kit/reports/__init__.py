"""What an instructor reads and hands on: reports, adjustments, exports. Nothing here changes a score that was given.

| file | what belongs there |
|---|---|
| `adjustments.py` | adjustments.toml: what it may say, and the words when it says something else |
| `lateness.py` | what is taken off for lateness |
| `adjusted.py` | how everybody stands, with the adjusted score beside the one that was given |
| `exercises.py` | the exercises of an assignment, as the gradebook and results.json call them |
| `measures.py` | the figures: distribution, pass rate, discrimination, with the source of each formula |
| `overview.py` | all that a report shows, as plain data |
| `page.py`, `page.html.j2`, `pictures.py` | that data as one HTML page |
| `tables.py` | that data as CSV |
| `sheets.py`, `moodle.py`, `canvas.py` | scores in the files of learning management systems |
| `exporting.py` | what the command `export` does with them |
| `feedback.py` | all feedback pages in one zip |
"""
