"""Calls x arguments x states, on an original library and on its face, with the original as the oracle.

The generator (`cases.py`), the worker process (`worker.py`) and the comparison (`run.py`) know no library. A library
brings a module `of_NAME.py` with `LIBRARY`, whose tables say which callables there are, what they take, and how a
client comes into each state. `python -m tests.compat.differential LIBRARY` runs everything and shows the differences.
"""
