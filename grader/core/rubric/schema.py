"""The JSON schema of rubrics, generated from the structs that read them."""

import json

import msgspec

from grader.core.rubric.documents import Rubric


def rubric_schema() -> str:
    """Return the schema as the committed file holds it."""
    schema = msgspec.json.schema(Rubric.__value__)
    schema["$schema"] = "https://json-schema.org/draft/2020-12/schema"
    schema["title"] = "rubric.yaml of an exercise"
    return json.dumps(schema, indent=2, sort_keys=True, ensure_ascii=False) + "\n"
