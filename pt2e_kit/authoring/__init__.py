"""What an instructor needs to write the course: fixed form of notebooks, student versions, executed solutions."""
