public struct QueueSettings: SettingGroup {
  @Setting(
    "path", restart: true,
    "The queue file. Its folder must be writable and on storage that honours a flush.")
  public var path = "/var/lib/godwit/queue.db"
  @Setting("commit_records", in: 1...1000, "This many records are written to storage together …")
  public var commitRecords = 10
  @Setting(
    "commit_interval_s", in: 1...600,
    "… or what there is after this time. A power cut costs at most this much of the track.")
  public var commitInterval_s = 10.0
  @Setting(
    "queue_max_mb", in: 1...100_000,
    "When the queue file would grow beyond this, the oldest positions are dropped first, and counted.")
  public var maxSize_mb = 200.0
}
