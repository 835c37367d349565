"""`python -m questionbank.catalog.content CONTENT_DIR`."""

import sys

from questionbank.catalog.content.report import main

sys.exit(main())
