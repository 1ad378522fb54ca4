import Hummingbird

/// What has come to this collector since its start.
final class IntakeFigures: Sendable {
  private struct State {
    var uploads: [Int: Int] = [:]
    var cutUploads = 0
    var longStatuses = 0
    var records = RecordCounts()
  }

  private let state = Locked(State())

  /// - Parameter status: of the answer to a device.
  func count(_ status: HTTPResponse.Status) { state.with { $0.uploads[status.code, default: 0] += 1 } }

  /// The device was gone before it could be answered.
  func countCut() { state.with { $0.cutUploads += 1 } }

  /// A status had more than ``Upload/mostStatus_bytes``.
  func countLongStatus() { state.with { $0.longStatuses += 1 } }

  func count(_ receipt: Receipt) { state.with { $0.records.add(receipt) } }

  var metrics: String {
    let state = state.with { $0 }
    return MetricText.family(
      "godwit_collector_uploads_total", "counter",
      "Requests of devices, by the status of the answer; none is whose connection broke before its end.",
      state.uploads.sorted { $0.key < $1.key }.map { (labels: "{status=\"\($0.key)\"}", value: $0.value) }
        + [(labels: "{status=\"none\"}", value: state.cutUploads)])
      + MetricText.family(
        "godwit_collector_records_total", "counter",
        "Records of devices, also over MQTT, by what became of them; refused is who has another one's identity.",
        state.records.samples)
      + MetricText.family(
        "godwit_collector_statuses_too_long_total", "counter",
        "Statuses of devices that were too long to be stored.", [("", String(state.longStatuses))])
  }
}
