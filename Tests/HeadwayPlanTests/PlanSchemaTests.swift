import Foundation
import HeadwayPlan
import Testing

/// The JSON Schema of plans.
struct PlanSchemaTests {
  private struct NoSchema: Error {}

  private func object() throws -> [String: Any] {
    let value = try JSONSerialization.jsonObject(with: Data(PlanSchema.json.utf8))
    guard let object = value as? [String: Any] else { throw NoSchema() }
    return object
  }

  @Test func `The schema has exactly the keys that the reader knows`() {
    for keys in PlanSchema.keys {
      #expect(Set(keys.schema) == Set(keys.reader), "\(keys.map)")
      #expect(keys.schema.count == keys.reader.count, "\(keys.map)")
    }
  }

  @Test func `The schema is JSON, in the draft that editors know`() throws {
    let schema = try object()
    #expect(schema["$schema"] as? String == "http://json-schema.org/draft-07/schema#")
    let properties = try #require(schema["properties"] as? [String: [String: Any]])
    for property in properties.values { #expect(property["description"] is String) }
  }

  @Test func `Every reference in the schema has a definition`() throws {
    let definitions = try #require(object()["definitions"] as? [String: Any])
    for part in PlanSchema.json.split(separator: "#/definitions/").dropFirst() {
      let name = String(part.prefix { $0 != "\"" })
      #expect(definitions[name] != nil, "\(name)")
    }
  }
}
