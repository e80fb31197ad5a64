"""Runs all tests of the page, prints how many passed, and fails if one failed."""

import pathlib
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from support import BarTest  # noqa: E402

names = sys.argv[1:]
loader = unittest.TestLoader()
suite = loader.loadTestsFromNames(names) if names else loader.discover(str(HERE))
try:
    result = unittest.TextTestRunner(verbosity=2).run(suite)
finally:
    BarTest.stop()
broken = {getattr(test, "test_case", test) for test, _ in result.failures + result.errors}
passed = result.testsRun - len(broken)
print(f"web: {passed} passed, {len(broken)} failed, {len(result.skipped)} skipped")
sys.exit(0 if result.wasSuccessful() and result.testsRun > 0 else 1)
