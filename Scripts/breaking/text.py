"""Which bytes headway may print."""

import re

# The escape sequences of Sources/HeadwayTerminal/Region/Escape.swift, and those of the supervisor.
_OWN = re.compile(
    rb"\x1b\[\?(?:2026|25|7)[hl]|\x1b[78]|\x1b\[[KJ]|\x1b\[\d*[ABG]|\x1b\[[\d;]*m"
    rb"|\x1b\]9;4;[\d;]*\x1b\\")

# Control characters but tab and newline, in ASCII and beyond, and characters that change the direction of text.
_HARMFUL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")

_CRASHED = re.compile(
    rb"Fatal error|Program crashed|runtime path|terminate called|stack smashing|AddressSanitizer|glibc detected"
    rb"|free\(\): |malloc\(\): |pthread_\w+ failed|swift_\w+")

# What tasks print, and what names contain, to reach the terminal.
HOSTILE = [
    b"\x1b[2J", b"\x1b]0;broken\x07", b"\x1b]52;c;YnJva2Vu\x07", b"\x1b[6n", b"\x1bPq#0\x1b\\", b"\x1b[?1049h", b"\x1bc",
    b"\x1b[8;1;1t", b"\x1b]8;;http://x\x1b\\", b"\x9b2J", b"\xc2\x9b2J", b"\xc2\x9d0;x\xc2\x9c", b"\x07", b"\x08\x08",
    b"\x7f", b"\x0e", b"\xe2\x80\xae", b"\xe2\x81\xa6", b"\xff\xfe", b"\xc3", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\x00",
    b"\r", b"\x1b", b"\x1b[", b"\x1b]9;4;1;50",
]


def harmful(printed, is_terminal):
    """The first harmful part of what was printed, nil if there is none."""
    rest = printed
    if is_terminal:
        rest = _OWN.sub(b"", rest).replace(b"\r", b"")
    try:
        text = rest.decode()
    except UnicodeDecodeError as error:
        # The end may be cut in the middle of a character if the program was killed.
        if is_terminal and error.end == len(rest):
            return None
        return f"invalid UTF-8: {rest[max(0, error.start - 30):error.end + 30]!r}"
    found = _HARMFUL.search(text)
    if not found:
        return None
    return f"a control character: {text[max(0, found.start() - 30):found.end() + 30]!r}"


def crash(printed):
    """The words of a crash in what was printed, nil if there are none."""
    found = _CRASHED.search(printed)
    return found and printed[max(0, found.start() - 40):found.end() + 120].decode("utf-8", "replace")


def tail(printed, size=700):
    """The end of what was printed, for people."""
    return repr(printed[-size:])[2:-1].replace("\\n", "\n      ")
