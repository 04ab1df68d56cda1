"""The project of lesson m09_2: a net of one's own, through all steps."""
