import ArgumentParser

@main
struct Godwit: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "godwit", abstract: "The tracking agent.",
    subcommands: [Check.self, SettingsCommand.self])
}
