/// The fleet as Prometheus reads it: counts over all vehicles, and a few figures of each. No places: whoever may see
/// figures need not see where a vehicle is.
enum FleetMetrics {
  static func text(_ vehicles: [Vehicle], now_ms: Int64, watching: Int) -> String {
    var text = ""
    func family(_ name: String, _ help: String, _ samples: [(labels: String, value: String)]) {
      text += MetricText.family(name, "gauge", help, samples)
    }
    family("godwit_fleet_vehicles", "Vehicles that the collector knows.", [("", String(vehicles.count))])
    family("godwit_fleet_pages_open", "Pages that are being watched.", [("", String(watching))])
    let problems = vehicles.flatMap(\.problems).reduce(into: [String: Int]()) { $0[$1, default: 0] += 1 }
    family(
      "godwit_fleet_problems", "Vehicles with this problem.",
      problems.sorted { $0.key < $1.key }.map { ("{problem=\"\($0.key)\"}", String($0.value)) })
    family(
      "godwit_fleet_moving", "Vehicles that were moving at their last position.",
      [("", String(vehicles.count { $0.is_moving == true }))])
    func each(_ value: (Vehicle) -> String?) -> [(labels: String, value: String)] {
      vehicles.compactMap { vehicle in
        value(vehicle).map { ("{device=\"\(escaped(vehicle.device))\"}", $0) }
      }
    }
    family(
      "godwit_vehicle_last_contact_seconds", "When the vehicle was heard last, Unix time.",
      each { $0.last_contact.flatMap(seconds) })
    family(
      "godwit_vehicle_last_position_seconds",
      "When it was where it was seen last, Unix time by its own clock.",
      each { $0.timestamp.flatMap(seconds) })
    family(
      "godwit_vehicle_severity", "Its most urgent problem: 0 none, 1 notice, 2 warning, 3 alarm.",
      each { String($0.severity.rawValue) })
    return text
  }

  private static func seconds(_ timestamp: String) -> String? {
    Timestamp.milliseconds(timestamp).flatMap { Fixed.text(Double($0) / 1000, decimals: 3) }
  }

  private static func escaped(_ label: String) -> String {
    label.reduce(into: "") { result, character in
      switch character {
      case "\\": result += "\\\\"
      case "\"": result += "\\\""
      case "\n": result += "\\n"
      default: result.append(character)
      }
    }
  }
}
