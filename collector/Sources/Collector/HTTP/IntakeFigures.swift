import Hummingbird

/// What has come to this collector since its start.
final class IntakeFigures: Sendable {
  private struct State {
    var uploads: [Int: Int] = [:]
    var records = (stored: 0, duplicates: 0, refused: 0)
  }

  private let state = Locked(State())

  /// - Parameter status: of the answer to a device.
  func count(_ status: HTTPResponse.Status) { state.with { $0.uploads[status.code, default: 0] += 1 } }

  func count(_ receipt: Receipt) {
    state.with { state in
      state.records.stored += receipt.stored
      state.records.duplicates += receipt.duplicates
      state.records.refused += receipt.refused?.count ?? 0
    }
  }

  var metrics: String {
    let state = state.with { $0 }
    return MetricText.family(
      "godwit_collector_uploads_total", "counter", "Requests of devices, by the status of the answer.",
      state.uploads.sorted { $0.key < $1.key }.map { (labels: "{status=\"\($0.key)\"}", value: $0.value) })
      + MetricText.family(
        "godwit_collector_records_total", "counter",
        "Records of devices, also over MQTT, by what became of them; refused is who has another one's identity.",
        [
          (labels: "{result=\"stored\"}", value: state.records.stored),
          (labels: "{result=\"duplicate\"}", value: state.records.duplicates),
          (labels: "{result=\"refused\"}", value: state.records.refused),
        ])
  }
}

extension StoredWebhook {
  /// By number: a target may hold a secret.
  static func metrics(_ webhooks: [StoredWebhook]) -> String {
    func each(_ value: (StoredWebhook) -> Int64) -> [(labels: String, value: String)] {
      webhooks.map { ("{webhook=\"\($0.number)\"}", String(value($0))) }
    }
    return MetricText.family(
      "godwit_webhook_waiting", "gauge", "Events that wait to be told.", each(\.waiting))
      + MetricText.family(
        "godwit_webhook_delivered_total", "counter", "Events that were taken.", each(\.delivered))
      + MetricText.family(
        "godwit_webhook_given_up_total", "counter", "Events that nobody took within three days.",
        each(\.given_up))
  }
}
