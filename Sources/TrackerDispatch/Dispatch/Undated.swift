import TrackerBase

/// Records whose dates are not trusted. Only in the boot in which they were made can they be dated.
struct Undated: SavedObject, Equatable, Sendable {
  /// As it is saved; empty for this boot.
  var bootID = ""
  /// The first of them.
  var from: Int64 = 0
  var records = 0

  static let members: [SavedMember<Undated>] = [
    .init("boot", \.bootID), .init("from", \.from) { $0 > 0 }, .init("records", \.records) { $0 > 0 },
  ]

  var isSound: Bool { from > 0 && records > 0 }
}
