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
