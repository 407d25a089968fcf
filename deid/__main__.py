"""`python -m deid`: the command line."""

import sys

from deid.cli import main

sys.exit(main())
