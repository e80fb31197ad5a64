"""What an assistive technology finds on the accessibility bus of the desktop (AT-SPI).

    atspi.py PID ROLE [VALUE]

Prints the first object with a role, such as "slider", of the program with a process identifier, as a line of JSON: its role,
name and interfaces, and its value, minimum, maximum and text if it has the interface Value. A browser passes on the text as an
attribute. With VALUE, sets that value first. Waits for the object for a minute.
"""

import json
import sys
import time

import gi

gi.require_version("Atspi", "2.0")
from gi.repository import Atspi, GLib  # noqa: E402

PATIENCE = 60


def objects(parent):
    """All objects of a tree, from the root to the leaves."""
    yield parent
    for index in range(parent.get_child_count()):
        child = parent.get_child_at_index(index)
        if child:
            yield from objects(child)


def find(process, role):
    """The first object of a program with a role, or None."""
    desktop = Atspi.get_desktop(0)
    for index in range(desktop.get_child_count()):
        program = desktop.get_child_at_index(index)
        if program and program.get_process_id() == process:
            for found in objects(program):
                if found.get_role_name() == role:
                    return found
    return None


def wait(process, role):
    """The first object of a program with a role, as soon as there is one."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        try:
            if found := find(process, role):
                return found
        except GLib.Error:
            pass  # The program is starting, and its objects come and go.
        time.sleep(0.1)
    raise SystemExit(f"process {process} has no {role} on the accessibility bus")


def description(found):
    """An object as a dictionary."""
    facts = {"role": found.get_role_name(), "name": found.get_name(),
             "interfaces": found.get_interfaces()}
    if "Value" in facts["interfaces"]:
        value = Atspi.Value
        facts.update(value=value.get_current_value(found), minimum=value.get_minimum_value(found),
                     maximum=value.get_maximum_value(found),
                     text=found.get_attributes().get("valuetext") or value.get_text(found))
    return facts


def current(found):
    """The description that the program gives now, not one from a cache."""
    found.clear_cache()
    return description(found)


if __name__ == "__main__":
    Atspi.set_timeout(5000, 5000)
    found = wait(int(sys.argv[1]), sys.argv[2])
    if len(sys.argv) > 3:
        Atspi.Value.set_current_value(found, float(sys.argv[3]))
    # A program that has just started publishes its properties one after the other.
    facts = None
    while facts != (facts := current(found)):
        time.sleep(0.3)
    print(json.dumps(facts))
