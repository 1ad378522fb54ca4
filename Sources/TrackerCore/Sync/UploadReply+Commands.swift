/// Which replies may bring commands.
extension UploadReply {
  /// Those that count as the server's, as for records: a 2xx that is no web page and acknowledges by the rule of `ack`.
  /// Over plain http:// it must name records of this request, since anybody on the way can answer 200; with `ack = "any"`
  /// whoever answers is believed. What a broker brings on the topic of commands stands for itself.
  func mayBringCommands(_ rule: SyncSettings.Acknowledgement) -> Bool {
    if bringsDocuments { return true }
    guard problem(rule) == nil else { return false }
    return !isPlainHTTP || rule == .any || !(echoed ?? []).isEmpty
  }

  static let bringsNoCommands =
    "the reply does not count as the server's; over plain http:// it must acknowledge records"
}
