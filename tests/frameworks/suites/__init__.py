"""The frameworks' own test suites, run on the original library and on its face, with the results side by side.

`suite.py` says what a suite is, `table.py` which there are, `reasons.py` why a test that passes on the original does
not on the face, `running.py` fetches the sources and runs them, `plugin.py` is what pytest loads there.
`python -m tests.frameworks.suites [NAME...]` (`make framework-suites`) shows the table.
"""
