"""A stderr that is a terminal, for tests of what is shown on one."""

REMOVED = "\r\x1b[1A\x1b[2K"  # the last that is written: the line is gone, the cursor where it was


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
