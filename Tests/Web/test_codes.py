"""The numbers that page and core exchange: one table in Swift, and none anywhere else."""

import re
import unittest

from support import BUILT, PAGES, ROOT

CORE = ROOT / "Sources/HeadwayWeb/Core"


class Codes(unittest.TestCase):
    """Compares the script that a page loads with the Swift sources of the core."""

    def tables(self):
        """The enumerations of Codes.swift: names and numbers."""
        source = (CORE / "Codes.swift").read_text()
        for name, body in re.findall(r"^enum (\w+): Int32 \{\n(.*?)^\}", source, re.S | re.M):
            yield name, {case: int(number)
                         for case, number in re.findall(r"^  case (\w+) = (\d+)$", body, re.M)}

    def test_the_page_has_the_numbers_of_the_core(self):
        script = (BUILT / "headway-bar.js").read_text()
        tables = dict(self.tables())
        self.assertGreater(len(tables), 10)
        for name, cases in tables.items():
            found = re.search(rf"^const {name} = \{{(.*)\}};$", script, re.M)
            self.assertIsNotNone(found, name)
            pairs = re.findall(r"(\w+): (\d+)", found[1])
            self.assertEqual({case: int(number) for case, number in pairs}, cases, name)

    def test_no_other_file_writes_such_a_number(self):
        calls = r"headway_bar_(?:value|command|pointer|key|text)\(\s*[^,()]+(?:\(\))?,\s*\d"
        for file in sorted(PAGES.glob("*.js")):
            self.assertIsNone(re.search(calls, file.read_text()), file.name)
        for file in sorted(CORE.glob("PageBar+*.swift")):
            self.assertIsNone(re.search(r"^ +case \d+:", file.read_text(), re.M), file.name)

    def test_every_name_of_a_table_that_the_page_uses_exists(self):
        tables = dict(self.tables())
        for file in sorted(PAGES.glob("*.js")):
            for table, case in re.findall(r"\b(\w+(?:Code|Bit|Index))\.(\w+)", file.read_text()):
                self.assertIn(case, tables[table], f"{file.name}: {table}")
