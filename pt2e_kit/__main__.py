"""`python -m pt2e_kit` is the same as `pt2e-kit`."""

from pt2e_kit.cli import app

if __name__ == "__main__":
    app()
