"""The command line: `pt2e-kit COMMAND`. One file per group of commands; each imports what it needs when it runs."""

from pt2e_kit.cli.main import app

__all__ = ["app"]
