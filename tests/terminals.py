"""A stderr that is a terminal, for tests of what is shown on one."""


class Terminal:
    """Keeps what is written to it."""

    def __init__(self):
        self.text = ""

    def isatty(self):
        return True

    def write(self, text):
        self.text += text

    def flush(self):
        pass
