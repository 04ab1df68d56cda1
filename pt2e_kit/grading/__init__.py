"""From what a student handed in to its result: collect, rebuild, execute, judge."""
