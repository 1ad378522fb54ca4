import ArgumentParser
import TrackerCore
import TrackerWire

struct SettingsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "settings", abstract: "Print what settings there are, or those in force.")

  @Flag(
    help: """
      The commented reference (config/godwit.toml), its JSON Schema (config/godwit.schema.json), or every value that a \
      settings file would lead to, with where it comes from: default, preset or file.
      """)
  var form = Form.reference

  @Argument(help: "The settings file, for --in-force.")
  var file = SettingsLocation.standard

  enum Form: EnumerableFlag {
    case reference, schema, inForce
  }

  func run() throws {
    switch form {
    case .reference: print(ReferenceWriter.text(), terminator: "")
    case .schema: print(SchemaWriter.text(), terminator: "")
    case .inForce:
      for (line, origin) in try SettingsLocation.read(file).settings.inForce {
        print("\(line.text)  # \(origin.rawValue)")
      }
    }
  }
}
