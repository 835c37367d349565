from django.apps import AppConfig


class GraderConfig(AppConfig):
    """Carries the commands `grade`, `inspect` and `check_content`; it has no tables."""

    name = "grader"
