"""Each program tells the same on the face as on the original: the same records and errors, the same order of
callbacks."""

from __future__ import annotations

from itertools import zip_longest

import pytest

from tests.brokers import Broker
from tests.compat.programs import session


# The first test of each library and broker waits for all of its programs.
@pytest.mark.timeout(2 * session.ENOUGH)
@pytest.mark.parametrize(
    ("library", "program"), [(library, name) for library, names in session.PROGRAMS.items() for name in names]
)
def test_the_face_tells_what_the_original_tells(
    library: str, program: str, broker: Broker, request: pytest.FixtureRequest
) -> None:
    runs = [(library, side, broker.bootstrap_servers) for side in ("original", "face")]
    if getattr(request.node, "execution_count", 1) > 1:
        # The try after a failure runs the program, instead of reading again what it told before.
        told = [session.outcomes(*run, (program,)) for run in runs]
    else:
        told = session.compared(*runs)
    original, face = (outcomes[program] for outcomes in told)
    assert original["end"] == "ended", f"the program is wrong:\n{original['end']}"
    assert original["told"]
    assert face["end"] == "ended", face["end"]
    differences = [pair for pair in zip_longest(original["told"], face["told"]) if not session.agree(*pair)]
    assert not differences
