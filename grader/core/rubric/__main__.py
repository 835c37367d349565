"""Prints the schema: `python -m grader.core.rubric > docs/rubric.schema.json`."""

import sys

from grader.core.rubric.schema import rubric_schema

sys.stdout.write(rubric_schema())
