import TrackerBase

/// `OverlayState` as JSON, for the state file.
public enum OverlayDocument {
  /// More than any setting allows.
  private static let longestTrial_ms: Int64 = 1 << 40

  public static func text(_ state: OverlayState) -> String {
    JSONWriter.object { json in
      if !state.looks_ms.isEmpty {
        json.key("looks_ms")
        json.value(.array(state.looks_ms.map { .integer($0) }))
      }
      if let kept = state.kept {
        json.key("kept")
        ConfigDocument.write(kept, into: &json)
      }
      if let trial = state.trial {
        json.object("trial") { json in
          json.key("config")
          ConfigDocument.write(trial.overlay, into: &json)
          json.member("boot", trial.bootID)
          json.member("began_ms", trial.began_ms)
          json.member("starts", trial.starts)
          json.member("spent_ms", trial.spent_ms)
          json.member("clock", trial.clock.rawValue)
        }
      }
      if let refused = state.refused {
        json.object("refused") { json in
          json.member("version", refused.version)
          json.member("reason", refused.reason)
        }
      }
    }
  }

  /// nil for what this program does not write.
  public static func state(_ value: JSONValue) -> OverlayState? {
    guard case .object = value else { return nil }
    var (kept, trial): (Overlay?, OverlayState.Trial?)
    do throws(ConfigDocument.Malformed) {
      kept = try value["kept"].map(ConfigDocument.overlay)
      if let saved = value["trial"] {
        guard let began_ms = saved["began_ms"]?.integer, let starts = saved["starts"]?.integer,
          let bootID = saved["boot"]?.string, (0...1000).contains(starts), let config = saved["config"]
        else { return nil }
        trial = OverlayState.Trial(
          overlay: try ConfigDocument.overlay(config), bootID: bootID, began_ms: began_ms,
          starts: Int(starts), spent_ms: min(max(0, saved["spent_ms"]?.integer ?? 0), longestTrial_ms),
          clock: saved["clock"]?.string.flatMap { OverlayState.Trial.Clock(rawValue: $0) } ?? .running)
      }
    } catch { return nil }
    var refused: OverlayState.Refusal?
    if let saved = value["refused"] {
      guard let version = saved["version"]?.integer, let reason = saved["reason"]?.string,
        Overlay.versions.contains(version)
      else { return nil }
      refused = OverlayState.Refusal(version: version, reason: reason)
    }
    let looks_ms = (value["looks_ms"]?.array ?? []).compactMap(\.integer)
    return OverlayState(kept: kept, trial: trial, refused: refused, looks_ms: looks_ms)
  }
}
