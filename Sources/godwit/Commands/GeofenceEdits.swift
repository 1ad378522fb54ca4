import ArgumentParser
import TrackerBase
import TrackerIO
import TrackerWire

extension GeofenceCommand {
  struct Add: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Add a geofence: a circle, or a polygon of three corners and more.",
      discussion: """
          godwit geofence add depot --center 47.3769,8.5417 --radius_m 150 --events ENTER,EXIT
          godwit geofence add yard --corner 47.40,8.70 --corner 47.40,8.71 --corner 47.41,8.71

        What `godwit check` would refuse is refused here, in the same words.

        \(GeofenceCommand.exitCodes)
        """)

    @Argument(help: "Its name, each its own; at most 64 characters.") var id: String
    @Option(parsing: .unconditional, help: "Circle: latitude,longitude of its centre.") var center: String?
    @Option(
      name: .customLong("radius_m"), help: "Circle: radius in metres, 10 to 100000.",
      transform: { try number($0, in: 10...100_000, "metres, 10 to 100000, such as 150") })
    var radius_m: Double?
    @Option(
      name: .customLong("corner"), parsing: .unconditionalSingleValue,
      help: "Polygon: latitude,longitude of a corner; once for each, in order.")
    var corners: [String] = []
    @Option(help: "What is reported: ENTER, EXIT and DWELL, with commas between, or none.")
    var events = "ENTER,EXIT"
    @Option(
      name: .customLong("loitering_delay_s"),
      help: "DWELL after so many seconds inside, 0 to 604800. Default: 300.",
      transform: { try number($0, in: 0...604_800, "seconds, 0 to 604800, such as 300") })
    var loiteringDelay_s: Double?
    @Option(help: "From then on it is as if it were not there, such as 2026-12-31T22:00:00Z.")
    var expires: String?
    @Option(help: "A JSON object that rides with each event.") var extras: String?
    @Option(help: "Settings file.", completion: .settings) var config = SettingsLocation.standard

    func validate() throws { _ = try feature() }

    func run() throws {
      let json = try feature().json
      try GeofenceChange.make(config: config, done: "added \(SettingText.quoted(id))") { bytes in
        GeofenceEdit.adding(json, to: bytes)
      }
    }

    private func feature() throws -> GeofenceFeature {
      var feature = GeofenceFeature(id: id, shape: try shape())
      let names = Set(events.uppercased().split(separator: ",").map(String.init))
      guard names == ["NONE"] || !names.isEmpty && names.isSubset(of: ["ENTER", "EXIT", "DWELL"]) else {
        throw ValidationError("--events must be ENTER, EXIT and DWELL, with commas between, or none")
      }
      feature.notifyOnEntry = names.contains("ENTER")
      feature.notifyOnExit = names.contains("EXIT")
      feature.notifyOnDwell = names.contains("DWELL")
      feature.loiteringDelay_s = loiteringDelay_s
      feature.expires = expires
      if let extras {
        guard let value = JSONReader.parse(Array(extras.utf8)) else {
          throw ValidationError("--extras is not JSON, such as {\"order\":4711}")
        }
        feature.extras = value
      }
      return feature
    }

    private static func number(
      _ text: String, in range: ClosedRange<Double>, _ wanted: String
    ) throws -> Double {
      guard let number = Double(text), range.contains(number) else { throw ValidationError(wanted) }
      return number
    }

    private func shape() throws -> GeofenceFeature.Shape {
      switch (center, radius_m, corners.isEmpty) {
      case (let center?, let radius_m?, true):
        return .circle(centre: try LatLon.position(center, of: "--center"), radius_m: radius_m)
      case (nil, nil, false):
        return .polygon(try corners.map { try LatLon.position($0, of: "a --corner") })
      case (_?, nil, _), (nil, _?, _), (_?, _?, false), (nil, nil, true):
        throw ValidationError(
          "give --center and --radius_m for a circle, or three --corner and more for a polygon")
      }
    }
  }

  struct Remove: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Remove a geofence.", discussion: GeofenceCommand.exitCodes)

    @Argument(help: "Its id, as `godwit geofence list` shows it.") var id: String
    @Option(help: "Settings file.", completion: .settings) var config = SettingsLocation.standard

    func run() throws {
      try GeofenceChange.make(config: config, done: "removed \(SettingText.quoted(id))") { bytes in
        let numbers = GeofenceEdit.ids(in: bytes).enumerated().filter { $0.element == id }.map(\.offset)
        guard let number = numbers.first else {
          throw ExitReason.usage.exit(
            "there is no geofence \(SettingText.quoted(id)); `godwit geofence list` shows those that there are"
          )
        }
        guard numbers.count == 1 else {
          let list = numbers.map { "\($0 + 1)" }.joined(separator: " and ")
          throw ExitReason.settings.exit(
            "features \(list) have the id \(SettingText.quoted(id)): each needs its own, edit the file")
        }
        return GeofenceEdit.removing(number, from: bytes)
      }
    }
  }
}
