import Testing
import TrackerBase

@Suite("docs/motion.md")
struct PresetTableTests {
  @Test("the table of presets is what they set")
  func presets() throws {
    #expect(try settingsText(of: "docs/motion.md").contains(expected), "the table is to be:\n\(expected)")
  }

  private var expected: String {
    let presets = TrackPreset.allCases
    let keys = SettingsListing.lines(of: Settings()).map(\.key)
      .filter { key in presets.contains { $0.lines.contains { $0.key == key } } }
    let head =
      "| | " + presets.map { "`\($0.rawValue)`" }.joined(separator: " | ") + " |\n|---|---|---|---|\n"
    return head
      + keys.map { key in
        let values = presets.map { preset in
          SettingsListing.lines(of: Settings(preset: preset)).first { $0.key == key }?.value ?? ""
        }
        return "| `\(key)` | " + values.joined(separator: " | ") + " |\n"
      }.joined()
  }
}
