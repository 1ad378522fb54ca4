/// Which replies may bring settings and commands.
extension UploadReply {
  /// Whether whoever answers may change what the device does: only a reply that acknowledges, so a 2xx of the server's
  /// own. Over plain http://, where anyone on the way can answer, only one that names a record of this request, whatever
  /// `ack` says. What a broker brings on the topic of commands stands for itself.
  func maySteer(by rule: SyncSettings.Acknowledgement) -> Bool {
    if bringsDocuments { return true }
    guard verdict(rule) == .acknowledged else { return false }
    return !isPlainHTTP || !(echoed ?? []).isEmpty
  }

  static let mayNotSteer =
    "the reply does not count as the server's; over plain http:// it must acknowledge records"
}
