"""The last gate for prose: only these elements and attributes reach a page."""

import nh3

# What our Markdown can make, and no more. No `style`, no handlers: pages forbid both by policy.
_TAGS = {
    "a", "blockquote", "br", "code", "dd", "del", "details", "div", "dl", "dt", "em", "figcaption",
    "figure", "h2", "h3", "h4", "h5", "h6", "hr", "input", "label", "li", "ol", "p", "pre", "span",
    "strong", "sub", "summary", "sup", "table", "tbody", "td", "th", "thead", "tr", "ul",
}  # fmt: skip
_ATTRIBUTES = {
    "*": {"class", "id"},
    "a": {"href", "title"},
    "div": {"data-slot", "data-tabs", "role", "tabindex", "aria-label"},
    "input": {"type", "name", "checked"},
    "label": {"for"},
    "ol": {"start"},
    "pre": {"tabindex"},
    "span": {"data-name", "title"},
    "th": {"scope"},
}


def sanitised(html: str) -> str:
    """Drop everything that is not on the lists. `data-slot` marks are kept for `markup.Slots`."""
    return nh3.clean(
        html,
        tags=_TAGS,
        attributes=_ATTRIBUTES,
        url_schemes={"http", "https", "mailto"},
        link_rel=None,
    )
