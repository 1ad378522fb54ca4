extension Drive {
  /// What a receiver with power would say of it, as a track that `godwit simulate` reads.
  public var csv: String {
    let rows = epochs.map { epoch in
      let place = epoch.hasFix ? "\(epoch.latitude_deg),\(epoch.longitude_deg),\(epoch.speed_mps)" : ",,"
      return "\(epoch.time_ms),\(place),\(epoch.hasFix ? 3 : 1),\(epoch.hdop)\n"
    }
    return "time_unix_ms,lat,lon,speed_mps,mode,hdop\n" + rows.joined()
  }
}
