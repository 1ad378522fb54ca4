import TrackerBase
import TrackerIO
import TrackerWire

/// The settings of a file with those of the server over them.
struct Overlaid {
  let settings: Settings
  /// In place of the file of `geofences_file`; nil: that counts.
  let geofences: [Geofence]?
  let use: OverlayUse

  /// An overlay that does not fit the file does not count.
  init(_ file: SettingsFile, under overlay: Overlay?) {
    guard let overlay else {
      self.init(settings: file.settings, geofences: nil, use: OverlayUse())
      return
    }
    guard file.settings.sync.config else {
      self.init(settings: file.settings, use: .switchedOff)
      return
    }
    var problems: [String] = []
    let settings = Overlaid.attempt(&problems) { () throws(OverlayProblem) in
      try file.settings(under: overlay)
    }
    let geofences = Overlaid.attempt(&problems) { () throws(OverlayProblem) in
      let geofences = try overlay.geofences.map(Overlaid.geofences)
      try Overlaid.refuseHidden(in: geofences ?? [])
      return geofences
    }
    if let settings, let geofences {
      self.init(settings: settings, geofences: geofences, use: OverlayUse(version: overlay.version))
    } else {
      self.init(settings: file.settings, use: OverlayUse(problem: "\(OverlayProblem(problems))"))
    }
  }

  /// - Returns: nil, and what is wrong, where it cannot be used.
  private static func attempt<Value>(
    _ problems: inout [String], _ work: () throws(OverlayProblem) -> Value
  ) -> Value? {
    do throws(OverlayProblem) { return try work() } catch {
      problems += error.problems
      return nil
    }
  }

  init(settings: Settings, geofences: [Geofence]? = nil, use: OverlayUse = OverlayUse()) {
    (self.settings, self.geofences, self.use) = (settings, geofences, use)
  }

  /// Ids are shown on terminals and in pages. In a file of the user's own they are the user's.
  private static func refuseHidden(in fences: [Geofence]) throws(OverlayProblem) {
    let problems = fences.enumerated().compactMap { index, fence in
      fence.id.unicodeScalars.first(where: PlainText.isHidden).map { scalar in
        "geofences: feature \(index + 1): its id has a character that nobody sees, \(PlainText.name(of: scalar))"
      }
    }
    if !problems.isEmpty { throw OverlayProblem(problems) }
  }

  /// Only the number of a feature is told: its name and its corners are the server's.
  private static func geofences(_ text: String) throws(OverlayProblem) -> [Geofence] {
    do throws(GeofenceDocumentError) {
      return try GeofenceDocument.parse(Array(text.utf8), file: "geofences")
    } catch {
      throw OverlayProblem(
        error.problems.map { problem in
          let feature = problem.feature > 0 ? "feature \(problem.feature): " : ""
          return "geofences: \(feature)\(problem.reason)"
        })
    }
  }
}
