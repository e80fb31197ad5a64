import Testing

/// What `docs/platforms.md` and `Scripts/check-platforms` say about the modules.
struct `The platforms` {
  /// The rows of the table of imports: the module, its imports and the reason.
  private func rows() throws -> [(module: String, imports: Set<String>, reason: Substring)] {
    let page = try Repository.text("docs/platforms.md")
    let table = page.split(separator: "\n").drop { $0 != "## What the modules import" }
    return table.filter { $0.hasPrefix("| `") }.map { line in
      let cells = line.split(separator: "|").map { $0.drop { $0 == " " } }
      return (codes(cells[0]).first ?? "", Set(codes(cells[1])), cells[2])
    }
  }

  /// What stands in backticks.
  private func codes(_ text: Substring) -> [String] {
    text.split(separator: "`", omittingEmptySubsequences: false).enumerated()
      .filter { !$0.offset.isMultiple(of: 2) }.map { String($0.element) }
  }

  @Test func `The documented imports of each module are its imports, each with a reason`() throws {
    let sources = try Repository.sources()
    let rows = try rows()
    #expect(rows.map(\.module).sorted() == Architecture.headway.modules.map(\.name).sorted())
    for row in rows {
      #expect(
        row.imports == Architecture.headway.outside(of: row.module, in: sources), "\(row.module)")
      #expect(row.imports.isEmpty || row.reason.count > 3, "\(row.module) has no reason")
    }
  }

  @Test func `Modules that import only the standard library are type-checked for all platforms`()
    throws
  {
    let standalone = Architecture.headway.standalone(in: try Repository.sources())
    #expect(
      standalone == [
        "HeadwayBar", "HeadwayCollections", "HeadwayForecast", "HeadwayRun", "HeadwayText",
      ])
    #expect(Set(try list("standalone")) == standalone)
  }

  @Test func `The other modules of the library are type-checked with the headers of a platform`()
    throws
  {
    let manifest = try Repository.text("Package.swift")
    let products = try #require(manifest.firstRange(of: "products: ["))
    // The command and its modules need Linux, and Foundation and GTK are not there.
    let names = codesInQuotes(manifest[products.upperBound...].prefix { $0 != "#" })
      .filter { Architecture.headway.module($0) != nil }
    let left: Set = ["HeadwayFoundation", "HeadwayGTK", "HeadwayCLI"]
    let checked = Set(try list("standalone") + list("with_headers"))
    #expect(Set(names).subtracting(left).isSubset(of: checked))
    #expect(names.contains("HeadwayRelay"))
  }

  @Test func `The script has the settings of the manifest`() throws {
    let feature = /enableUpcomingFeature\("(\w+)"\)/
    let option = /-enable-upcoming-feature (\w+)/
    let manifest = try Repository.text("Package.swift").matches(of: feature).map(\.1)
    let script = try Repository.text("Scripts/check-platforms").matches(of: option).map(\.1)
    #expect(!manifest.isEmpty)
    #expect(Set(script) == Set(manifest))
  }

  /// A list of names in the script.
  private func list(_ name: String) throws -> [String] {
    let script = try Repository.text("Scripts/check-platforms")
    let begin = "readonly \(name)='"
    let line = try #require(script.split(separator: "\n").first { $0.hasPrefix(begin) })
    return line.dropFirst(begin.count).dropLast().split(separator: " ").map(String.init)
  }

  /// What stands in quotes.
  private func codesInQuotes(_ text: Substring) -> [String] {
    text.split(separator: "\"", omittingEmptySubsequences: false).enumerated()
      .filter { !$0.offset.isMultiple(of: 2) }.map { String($0.element) }
  }
}

extension `The checker of the house` {
  @Test func `A module is standalone if all that it imports is`() {
    let house = Architecture(modules: [
      .init(name: "A", floor: 0), .init(name: "B", floor: 1), .init(name: "C", floor: 1),
      .init(name: "D", floor: 2), .init(name: "All", floor: nil),
    ])
    let sources: [Architecture.Source] = [
      .init(module: "A", file: "A.swift", text: "import Swift"),
      .init(module: "B", file: "B.swift", text: "internal import A"),
      .init(module: "C", file: "C.swift", text: "internal import A\ninternal import Dispatch"),
      .init(module: "D", file: "D.swift", text: "import A\nimport C"),
      .init(module: "All", file: "All.swift", text: "import A"),
    ]
    #expect(house.standalone(in: sources) == ["A", "B"])
    #expect(house.outside(of: "C", in: sources) == ["Dispatch"])
    #expect(house.outside(of: "D", in: sources) == [])
  }
}
