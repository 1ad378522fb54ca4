/// What collectors that share a database tell one another. Where there is one alone, nothing.
protocol ChangeStorage: Sendable {
  /// - Parameter heard: called with the name of each vehicle of which another collector has something new.
  func listen(_ heard: @escaping @Sendable (String) -> Void)
  /// Something of a vehicle is new.
  func tell(_ device: String)
}

extension Store {
  func listen(_ heard: @escaping @Sendable (String) -> Void) { connection.listen(heard) }
  func tell(_ device: String) { connection.tell(device) }
}
