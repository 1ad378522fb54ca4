import TrackerCore
import TrackerWire

/// What the report's script draws. The page and this are made together, so the form may change at any time; programs
/// read `ReplayJSON`.
enum ReportJSON {
  static func text(_ results: [ReplayResult], isSweep: Bool) -> String {
    var json = JSONWriter(reservingCapacity: 1 << 16)
    json.beginObject()
    if isSweep {
      json.object("sweep") { json in
        json.member("key", SweepTable(results: results).key)
        json.array("titles", SweepTable.titles) { $1.string($0) }
      }
    }
    json.object("defaults") { json in
      for (key, value) in defaults(changedIn: results) {
        json.key(named: key)
        json.string(value)
      }
    }
    json.array("tracks", byTrack(results)) { track, json in
      json.beginArray()
      for (index, result) in track.enumerated() {
        // The line of one recording is the same for all settings that take the same fixes.
        let hasOwnLine = index == 0 || result.gps != track[0].gps
        write(result, hasOwnLine: hasOwnLine, isSweep: isSweep, to: &json)
      }
      json.endArray()
    }
    json.endObject()
    return json.text
  }

  /// The results of each track.
  static func byTrack(_ results: [ReplayResult]) -> [[ReplayResult]] {
    results.reduce(into: []) { tracks, result in
      // Files in two folders may have one name.
      let same = tracks.firstIndex { $0[0].track.name == result.track.name && $0[0].span == result.span }
      if let same { tracks[same].append(result) } else { tracks.append([result]) }
    }
  }

  /// The defaults of all settings that any result has changed, by their keys.
  private static func defaults(changedIn results: [ReplayResult]) -> [(key: String, value: String)] {
    let changed = Set(results.flatMap(\.changedSettings).map { $0.prefix { $0 != " " && $0 != "=" } })
    return SettingsListing.lines(of: Settings()).filter { changed.contains($0.key[...]) }
      .map { ($0.key, $0.value) }
  }

  private static func write(
    _ result: ReplayResult, hasOwnLine: Bool, isSweep: Bool, to json: inout JSONWriter
  ) {
    json.beginObject()
    json.key("result")
    ReplayJSON.write(result, withLines: false, to: &json)
    json.object("zone") { write(zoneOf: result, to: &$0) }
    json.array("figures", result.figures) { figure, json in
      json.beginArray()
      json.string(figure.title)
      if let value = figure.value { json.number(value) } else { json.null() }
      json.integer(figure.decimals)
      json.endArray()
    }
    if isSweep {
      json.member("value", SweepTable.value(of: result))
      json.array("cells", SweepTable.cells(result)) { $1.string($0) }
    }
    json.object("map") { ReportMap(result).write(hasRecorded: hasOwnLine, to: &$0) }
    if !isSweep { writeTimeline(of: result, to: &json) }
    json.endObject()
  }

  /// The offsets from UTC of the recording's time and a little around it: `[from, seconds]`.
  private static func write(zoneOf result: ReplayResult, to json: inout JSONWriter) {
    let day_ms: Int64 = 86_400_000
    var from_s = (result.span.start_ms - day_ms).flooredDivision(by: 1000)
    var offsets: [(from_ms: Int64, offset_s: Int)] = [(from_s * 1000, result.zone.offset_s(at: from_s))]
    let end_s = (result.span.end_ms + day_ms).flooredDivision(by: 1000)
    while let next_s = result.zone.nextTransition(after: from_s), next_s < end_s {
      offsets.append((next_s * 1000, result.zone.offset_s(at: next_s)))
      from_s = next_s
    }
    json.member("name", result.zoneName)
    json.array("offsets", offsets) { $1.integers([$0.from_ms, Int64($0.offset_s)]) }
  }

  private static func writeTimeline(of result: ReplayResult, to json: inout JSONWriter) {
    let start_ms = result.span.start_ms
    json.array("queue", queue(of: result)) { depth, json in
      json.beginArray()
      json.seconds(depth.time_ms - start_ms)
      json.integer(depth.records)
      json.endArray()
    }
    json.array("requests", result.requests) { request, json in
      json.beginArray()
      json.seconds(request.span.start_ms - start_ms)
      json.integer(request.status)
      json.integer(request.isDelivered ? 1 : 0)
      json.endArray()
    }
  }

  /// A screen shows no more; of the changes within one piece of the time the largest counts.
  private static let mostDepths = 5000

  private static func queue(of result: ReplayResult) -> [QueueDepth] {
    guard result.queue.count > mostDepths else { return result.queue }
    let piece_ms = max(1, (result.span.end_ms - result.span.start_ms) / Int64(mostDepths))
    return result.queue.reduce(into: []) { shown, depth in
      if let last = shown.last, depth.time_ms / piece_ms == last.time_ms / piece_ms {
        if depth.records > last.records { shown[shown.count - 1].records = depth.records }
      } else {
        shown.append(depth)
      }
    }
  }
}

extension JSONWriter {
  mutating func array<Element>(
    _ key: StaticString, _ elements: [Element], _ write: (Element, inout JSONWriter) -> Void
  ) {
    self.key(key)
    beginArray()
    for element in elements { write(element, &self) }
    endArray()
  }

  mutating func integers(_ values: [Int64]) {
    beginArray()
    for value in values { integer(value) }
    endArray()
  }

  /// `12.3`
  mutating func fixed(_ value: Double, decimals: Int) {
    if value.isFinite { raw(TrackerLab.fixed(value, decimals: decimals)) } else { null() }
  }

  /// `12`, `12.3`
  mutating func seconds(_ milliseconds: Int64) {
    if milliseconds % 1000 == 0 {
      integer(milliseconds / 1000)
    } else {
      fixed(Double(milliseconds) / 1000, decimals: milliseconds % 100 == 0 ? 1 : 3)
    }
  }
}
