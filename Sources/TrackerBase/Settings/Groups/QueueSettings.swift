public struct QueueSettings: SettingGroup {
  static let path = Setting<String>(
    "path", restart: true,
    "The queue file. Its folder must be writable and on storage that honours a flush.")
  public var path = "/var/lib/godwit/queue.db"
  static let commitRecords = Setting<Int>(
    "commit_records", in: 1...1000, "This many records are written to storage together …")
  public var commitRecords = 10
  static let commitInterval_s = Setting<Double>(
    "commit_interval_s", in: 1...600,
    "… or what there is after this time. A power cut costs at most this much of the track.")
  public var commitInterval_s = 10.0
  static let maxSize_mb = Setting<Double>(
    "queue_max_mb", in: 1...100_000,
    "When the queue file would grow beyond this, the oldest positions are dropped first, and counted.")
  public var maxSize_mb = 200.0

  public mutating func visit(with visitor: inout some SettingVisitor) {
    visitor.visit(&path, Self.path)
    visitor.visit(&commitRecords, Self.commitRecords)
    visitor.visit(&commitInterval_s, Self.commitInterval_s)
    visitor.visit(&maxSize_mb, Self.maxSize_mb)
  }
}
