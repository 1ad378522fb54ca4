import TrackerBase

/// Records of this boot whose dates are not trusted.
struct Undated: Equatable, Sendable {
  /// The first of them.
  var from: Int64
  var records: Int
}

/// For a process that goes on after this one. Only in the boot in which they were made can they be dated.
struct SavedUndated: SavedObject, Equatable {
  var bootID = ""
  var from: Int64 = 0
  var records = 0

  static let members: [SavedMember<SavedUndated>] = [
    .init("boot", \.bootID), .init("from", \.from) { $0 > 0 }, .init("records", \.records) { $0 > 0 },
  ]

  var isSound: Bool { from > 0 && records > 0 }
}
