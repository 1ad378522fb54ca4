import ArgumentParser

@main
struct GodwitCollector: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "godwit-collector",
    abstract: "Takes the records of Godwit agents, stores each once, and shows the fleet.",
    discussion: "Without a subcommand it serves: godwit-collector --database FILE.",
    version: Version.text,
    subcommands: [
      Serve.self, TokenCommand.self, EnrolCodeCommand.self, OperatorCommand.self, MigrateCommand.self,
    ],
    defaultSubcommand: Serve.self)

  static func main() async {
    watchStandardOutput()
    await main(nil)
  }
}
