/// Which replies may bring settings and commands.
extension UploadReply {
  /// Whether whoever answers may change what the device does: only a reply that acknowledges, so a 2xx of the server's
  /// own. Over plain http://, where anyone on the way can answer, only one that names a record of this request, whatever
  /// `sync.ack` says, or whose `ack` says that there was none to name: a parked box makes no records for days. What a
  /// broker brings on the topic of commands stands for itself.
  package func maySteer(by rule: SyncSettings.Acknowledgement) -> Bool {
    if bringsDocuments { return true }
    guard verdict(rule) == .acknowledged else { return false }
    guard isPlainHTTP else { return true }
    return sent.isEmpty ? echoed != nil : !(echoed ?? []).isEmpty
  }

  package static let mayNotSteer =
    "the reply does not count as the server's; over plain http:// its ack must name records of the request, and be empty where it had none"
}
