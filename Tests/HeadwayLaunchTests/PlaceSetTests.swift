import Testing

@testable import HeadwayLaunch

/// The tree of bits beside a plain set.
struct PlaceSetTests {
  @Test(arguments: [1, 2, 63, 64, 65, 4_096, 4_097, 300_000])
  func `Whatever is inserted and removed, the least is that of a set`(size: Int) {
    var dice = Dice(UInt64(size))
    var places = PlaceSet(size: size)
    var model: Set<Int> = []
    for _ in 0..<500 {
      let place = Int.random(in: 0..<size, using: &dice)
      if dice.once(in: 3) {
        places.remove(place)
        model.remove(place)
      } else {
        places.insert(place)
        model.insert(place)
      }
      let from = Int.random(in: 0..<size, using: &dice)
      #expect(places.least(from: from) == model.filter { $0 >= from }.min())
      #expect(places.least(from: 0) == model.min())
    }
    #expect(places.least(from: size) == nil)
  }

  @Test func `An empty set of no places has no least`() {
    #expect(PlaceSet(size: 0).least(from: 0) == nil)
  }
}
