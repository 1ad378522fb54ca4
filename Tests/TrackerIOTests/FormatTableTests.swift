import Testing
import TrackerBase

@Suite("The table of docs/formats.md")
struct FormatTableTests {
  @Test("says of each format what its traits say", arguments: SyncSettings.Format.allCases)
  func row(format: SyncSettings.Format) throws {
    let lines = try settingsText(of: "docs/formats.md").split(separator: "\n")
    let row = try #require(lines.first { $0.hasPrefix("| `\(format.rawValue)` |") })
    let cells = row.split(separator: "|").map { $0.dropFirst().dropLast() }
    let traits = format.traits
    let expected = [
      "`\(traits.contentType)`", "`\(traits.schema)`",
      traits.mostRecords == .max ? "`max_batch_size`" : "\(traits.mostRecords)",
      traits.needsPosition ? "no" : "yes", traits.carriesStatus ? "yes" : "no",
    ]
    #expect(cells.dropFirst(2).map(String.init) == expected)
  }
}
