"""For students and self-learners: start a lesson, check a notebook, watch it while it is written."""
