"""The tables of search, which each database has in its own form."""

from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps

from questionbank.catalog.search import postgresql, sqlite


def create(_apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    database = postgresql if schema_editor.connection.vendor == "postgresql" else sqlite
    for statement in database.CREATE:
        schema_editor.execute(statement)


def drop(_apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    database = postgresql if schema_editor.connection.vendor == "postgresql" else sqlite
    for statement in database.DROP:
        schema_editor.execute(statement)


class Migration(migrations.Migration):
    dependencies = [("catalog", "0001_initial")]
    operations = [migrations.RunPython(create, drop)]
