/// The bar: how it glides between rare reports, its cost, and the cost of its surfaces, beside peers.
///
/// The glide is measured in virtual time with seeded players, so its numbers are the same in every run, and their goals
/// decide. These are the published numbers of the five rules, which the benchmark reproduces:
///
/// | | last report | CSS transition | extrapolation | creep | spring |
/// | --- | --- | --- | --- | --- | --- |
/// | mean lag, ms | 145 | 272 | 19 | 10 | 308 |
/// | speed jitter, % | 372 | 16 | 26 | 23 | 29 |
/// | moves after pause, ms | 28 | 300 | 28 | 0 | 347 |
enum Bar: Area {
  static let name = "bar"

  static func measure(_ options: Options) throws -> [Row] {
    if options.counts { return try counts() }
    return try glide() + costs(options) + terminal(options) + web(options)
  }
}
