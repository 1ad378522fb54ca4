import ArgumentParser
import TrackerCore

struct SettingsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "settings", abstract: "Print what settings there are.")

  @Flag(help: "The commented reference (config/godwit.toml) or its JSON Schema (config/godwit.schema.json).")
  var form = Form.reference

  enum Form: EnumerableFlag {
    case reference, schema
  }

  func run() {
    switch form {
    case .reference: print(ReferenceWriter.text(), terminator: "")
    case .schema: print(SchemaWriter.text(), terminator: "")
    }
  }
}
