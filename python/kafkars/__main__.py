"""`python -m kafkars`."""

import sys

from kafkars.cli import main

sys.exit(main())
