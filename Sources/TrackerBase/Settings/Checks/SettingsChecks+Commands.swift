extension SettingsReader {
  /// A session that the broker keeps would bring answers to earlier records.
  mutating func checkCommandTopic() {
    guard settings.sync.commandTopic, !hasProblem("sync.command_topic") else { return }
    guard let url = try? ServerURL(settings.sync.url), url.isMQTT else {
      if settings.sync.url.isEmpty { return }
      return refuse("sync.command_topic", "is for mqtts:// in sync.url: remove it")
    }
    if settings.sync.ack == .strict {
      refuse("sync.command_topic", "does not go with sync.ack \"strict\": set one of them otherwise")
    }
  }
}
