import ArgumentParser
import Glibc
import TrackerBase
import TrackerIO
import TrackerWire

struct GeofenceCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "geofence", abstract: "List, add, remove and test the geofences of geofences_file.",
    discussion: """
      The file is GeoJSON, docs/geofences.md. A change leaves everything else in it as it is, is on storage when the \
      command ends, and is handed to the running agent.
      """,
    subcommands: [List.self, Add.self, Remove.self, Test.self])

  /// The file's, or where it has none those of the server, if it has set any: then standard error says which are in force.
  fileprivate static func shown(_ config: String) throws -> (place: String, fences: [Geofence]) {
    let settings = try SettingsLocation.readOrLastGood(config).file
    let overlay = (try? OverlayFile(queuePath: settings.settings.queue.path).read())?.wanted
    guard let overlay, let others = Overlaid(settings, under: overlay).geofences else {
      let file = try GeofenceChange.file(of: settings.settings, config: config)
      return (file, try GeofencesFile.readIfThere(file))
    }
    let file = settings.settings.geofencesFile
    let fences = try GeofencesFile.readIfThere(file)
    let version = "version \(overlay.version) of the server's settings"
    if fences.isEmpty {
      let own = file.isEmpty ? "\(config) names no file of geofences" : "there is none in \(file)"
      Terminal.error("godwit: the geofences of \(version) are in force, \(others.count); \(own)\n")
      return (version, others)
    }
    Terminal.error(
      "godwit: \(version) has geofences of its own, \(others.count), in force in place of \(file)\n")
    return (file, fences)
  }

  static let exitCodes = """
    Exit codes: 0 done, 64 a mistake on the command line, 66 no settings file, 69 done, but the running agent has not \
    taken it, 73 the file cannot be written, 77 not allowed, 78 a mistake in the settings or in the file of geofences.
    """

  static let readExitCodes = """
    Exit codes: 0 shown, 64 a mistake on the command line, 66 no settings file, 78 a mistake in the settings or in the \
    file of geofences.
    """

  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "A line a geofence: id, shape, area, and what is reported of it.",
      discussion: GeofenceCommand.readExitCodes)

    @Option(help: "Settings file.", completion: .settings) var config = SettingsLocation.standard

    func run() throws {
      let (place, fences) = try GeofenceCommand.shown(config)
      guard !fences.isEmpty else { return Terminal.print("no geofence in \(place)\n") }
      Terminal.print(GeofenceReport.list(fences, at: HostClock.now().wall_ms))
    }
  }

  struct Test: ParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Say which geofences hold a position, and how far the edges are.",
      discussion: """
        The nearest edges come first. A fix errs: ENTER and EXIT are reported only once it is farther from the edge than \
        its accuracy.

        \(GeofenceCommand.readExitCodes)
        """)

    @Argument(
      parsing: .allUnrecognized, help: "Latitude, longitude, such as 47.3769,8.5417 or -33.86,151.21.")
    var position: [String] = []
    @Option(help: "Settings file.", completion: .settings) var config = SettingsLocation.standard

    func validate() throws { _ = try place() }

    /// A clipboard's blank makes two words of it, and `--` before a minus is one more.
    private func place() throws -> Position {
      try LatLon.position(position.filter { $0 != "--" }.joined(), of: "the position")
    }

    func run() throws {
      let (place, fences) = try GeofenceCommand.shown(config)
      guard !fences.isEmpty else { return Terminal.print("no geofence in \(place)\n") }
      Terminal.print(GeofenceReport.test(fences, at: try self.place(), HostClock.now().wall_ms))
    }
  }
}

/// A position on the command line, as maps show it. It is never repeated in an error.
enum LatLon {
  static func position(_ text: String, of what: String) throws -> Position {
    let numbers = text.split(separator: ",", omittingEmptySubsequences: false).map { part in
      Double(part.filter { $0 != " " })
    }
    guard numbers.count == 2, let latitude_deg = numbers[0], let longitude_deg = numbers[1],
      (-90...90).contains(latitude_deg), (-180...180).contains(longitude_deg)
    else {
      throw ValidationError(
        "\(what) is not LAT,LON, such as 47.3769,8.5417: latitude -90 to 90 first, then longitude -180 to 180"
      )
    }
    return Position(latitude_deg: latitude_deg, longitude_deg: longitude_deg)
  }
}

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

/// One change of the file that `geofences_file` names: read, changed, checked, written, handed to the agent.
enum GeofenceChange {
  static func file(of settings: Settings, config: String) throws -> String {
    guard settings.geofencesFile.isEmpty else { return settings.geofencesFile }
    throw ExitReason.settings.exit(
      "\(config) names no file of geofences: set geofences_file = \"/etc/godwit/geofences.geojson\" above its "
        + "first [group]")
  }

  /// - Parameter edit: gives what is to be in the file; nil where there is no place for it.
  static func make(config: String, done: String, _ edit: ([UInt8]) throws -> [UInt8]?) throws {
    let settings = try SettingsLocation.read(config).settings
    let name = try file(of: settings, config: config)
    let file: EditedFile
    do throws(HostError) { file = try EditedFile(name) } catch { throw refusal(error) }
    let old = file.isNew ? Array(GeofenceEdit.emptyFile.utf8) : try bytes(of: name)
    // One that is not GeoJSON at all has no features, and words of its own.
    if JSONReader.elements(of: "features", in: old) == nil { _ = try check(old, name) }
    guard let new = try edit(old) else {
      throw ExitReason.settings.exit("\(name): is not a GeoJSON FeatureCollection with features")
    }
    let count = try check(new, name)
    do throws(HostError) {
      try file.replace(with: String(decoding: new, as: UTF8.self), like: config)
    } catch { throw refusal(error) }
    Terminal.print("\(done): \(count) in \(name)\n")
    try notifyAgent(settings, name)
  }

  private static func bytes(of name: String) throws -> [UInt8] {
    do { return try GeofencesFile.bytes(of: name) } catch { throw ExitReason.settings.exit(error.words) }
  }

  private static func check(_ bytes: [UInt8], _ name: String) throws -> Int {
    do throws(GeofenceDocumentError) {
      return try GeofenceDocument.parse(bytes, file: name).count
    } catch {
      Terminal.error("\(error)\ngodwit: the file stays as it was\n")
      throw ExitCode(ExitReason.settings.rawValue)
    }
  }

  private static func refusal(_ error: HostError) -> ExitCode {
    switch error {
    case .callFailed(_, EACCES, _), .callFailed(_, EPERM, _):
      ExitReason.permission.exit("\(error); use sudo. The file stays as it was")
    case .callFailed, .locked, .file: ExitReason.cannotCreate.exit("\(error)")
    }
  }

  // MARK: The running agent

  private static func notifyAgent(_ settings: Settings, _ name: String) throws {
    let answer: String
    do throws(ControlError) {
      answer = try ControlClient.ask(directory: settings.run.directory, line: "geofences")
    } catch {
      if case .notRunning = error { return Terminal.print("no agent runs: its next start reads the file\n") }
      throw untaken("\(error)")
    }
    let head = JSONReader.parse(Array(answer.utf8))
    if let words = head?["error"]?.string { throw untaken(words) }
    guard let used = head?["file"]?.string else { throw untaken("its journal says why") }
    guard used == name else {
      throw untaken("its settings name \(used.isEmpty ? "no file of geofences" : "another file, \(used)")")
    }
    guard head?["ok"]?.bool == true else { throw untaken("it cannot read the file; its journal says why") }
    if head?["overlaid"]?.bool == true {
      return Terminal.print(
        "the file is changed; the server's geofences are in force in its place (godwit settings --effective)\n"
      )
    }
    let count = head?["geofences"]?.integer ?? 0
    Terminal.print("the running agent has taken it, and watches \(count)\n")
  }

  private static func untaken(_ words: String) -> ExitCode {
    ExitReason.unavailable.exit(
      "the file is changed, but the running agent has not taken it: \(words); then sudo systemctl reload godwit"
    )
  }
}
