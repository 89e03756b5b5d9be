"""Reads HTML as the tests of reports need it."""

from html.parser import HTMLParser

VOID = {"meta", "img", "br", "hr", "link", "input"}


class Page(HTMLParser):
    """Reads a page: its tags must be closed in order; collects texts, headings, and all that it refers to."""

    def __init__(self, text):
        super().__init__()
        self.open, self.scripts, self.links, self.texts, self.headings, self.rows = [], 0, [], [], [], 0
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        self.links += [value for name, value in attributes if name in ("src", "href")]
        self.scripts += tag == "script"
        self.rows += tag == "tr"
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] not in ("style", "script"):
            self.texts.append(data)
        if self.open and self.open[-1] == "h2":
            self.headings.append(data)
