"""The kinds of trouble, by name."""

KINDS = {}


def kind(function):
    """Registers a function that does one trial; the first line of its documentation describes it."""
    KINDS[function.__name__.replace("_", "-")] = function
    return function


def summary(function):
    return function.__doc__.strip().splitlines()[0]
