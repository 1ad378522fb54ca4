import ArgumentParser
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
