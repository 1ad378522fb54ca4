import TrackerBase
import TrackerWire

/// What all records of a replay are in one format, as bodies of requests without a status: HTTP and TLS come on
/// top.
public struct FormatBytes: Equatable, Sendable {
  public var format: SyncSettings.Format
  public var inHundreds = 0
  public var inFives = 0
  /// Records that the format cannot carry.
  public var notCarried = 0

  init(_ format: SyncSettings.Format, records: [Record], device: String) {
    self.format = format
    let (carried, faults) = format.wire.sort(records)
    notCarried = faults.count
    inHundreds = FormatBytes.bytes(of: carried, in: 100, format.wire, device)
    inFives = FormatBytes.bytes(of: carried, in: 5, format.wire, device)
  }

  private static func bytes(
    of records: [Record], in most: Int, _ format: any PayloadFormat.Type, _ device: String
  ) -> Int {
    let step = min(most, format.traits.mostRecords)
    return stride(from: 0, to: records.count, by: step).reduce(0) { sum, start in
      let batch = Array(records[start..<min(start + step, records.count)])
      let payload = Payload(records: batch, queueID: VirtualNetwork.queueID, device: device)
      let body = format.body(payload)
      // As it goes over the network where nothing was agreed upon.
      return sum + (format.traits.impliesGzip ? Gzip.compressed(body) ?? body : body).count
    }
  }
}
