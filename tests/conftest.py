"""Settings for all tests."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))  # answers_bank and source_cells are shared by several tests
