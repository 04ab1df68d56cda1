"""Bring what students handed in through a learning management system into the course.

`download` reads archives that nobody has looked at, `names` the file names that each system makes, `students` who is
who, `plan` decides, `store` writes. Whatever is not clear is reported and left: nobody guesses.
"""
