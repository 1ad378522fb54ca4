import ArgumentParser
import Glibc
import TrackerBase
import TrackerIO
import TrackerWire

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
