"""A sheet as HTML: complete without scripts, and with what the browser needs to make it live."""

import json
import re
from html import escape

from questionbank.catalog.content.numbers import written
from questionbank.catalog.content.prose import AXIS
from questionbank.catalog.content.sheets import Input, Result, Sheet


def sheet_html(sheet: Sheet, number: int) -> str:
    """Write the `number`th sheet of a document (from 1)."""
    values = sheet.values()
    inputs = "".join(_input_row(item, values[item.name]) for item in sheet.inputs)
    results = "".join(_result_row(item, values[item.name]) for item in sheet.results)
    # A `<` in the data could end the script element early.
    data = json.dumps(sheet.data(), ensure_ascii=False).replace("<", "\\u003c")
    return (
        f'<section class="sheet" id="sheet-{number}" aria-labelledby="sheet-{number}-title">'
        f'<p class="sheet-title" id="sheet-{number}-title">{escape(sheet.title)}</p>'
        f'<table class="sheet-inputs"><tbody>{inputs}</tbody></table>'
        f'<table class="sheet-results"><tbody>{results}</tbody></table>'
        f'<script type="application/json" class="sheet-data">{data}</script>'
        "</section>"
    )


def _input_row(item: Input, value: float) -> str:
    source = ""
    if item.fact:
        fact = item.fact
        source = (
            f'<span class="sheet-source">{escape(fact.source_name)}, {escape(fact.date)}</span>'
        )
    return (
        f'<tr data-input="{item.name}"><th scope="row">{_label(item)}{source}</th>'
        f'<td class="sheet-control"></td><td class="sheet-value">{_live(item, value)}</td></tr>'
    )


def _result_row(item: Result, value: float) -> str:
    return (
        f'<tr data-result="{item.name}"><th scope="row">{_label(item)}</th>'
        f'<td class="sheet-formula"><code>{_formula(item.formula)}</code></td>'
        f'<td class="sheet-value">{_live(item, value)}</td></tr>'
    )


def _label(item: Input | Result) -> str:
    text = re.sub(AXIS, r'<span class="ax ax-\1">\1</span>', escape(item.label))
    return f'<span class="sheet-label">{text}</span>'


def _formula(formula: str) -> str:
    """Write a formula with the signs of arithmetic."""
    return escape(formula.replace(" * ", " × ").replace(" - ", " − "))


def _live(item: Input | Result, value: float) -> str:
    text = escape(written(value, item.shown))
    return f'<span class="live" data-name="{item.name}">{text}</span>'
