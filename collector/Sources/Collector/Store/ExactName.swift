/// A name as SQL and the pages compare it, byte for byte. To Swift's own `==` an ü is the same as a u with
/// U+0308 behind it (Unicode, canonical equivalence), and these are the names of two devices.
struct ExactName: Hashable, Sendable {
  let text: String

  init(_ text: String) { self.text = text }

  static func == (one: ExactName, other: ExactName) -> Bool { one.text.utf8.elementsEqual(other.text.utf8) }

  func hash(into hasher: inout Hasher) {
    for byte in text.utf8 { hasher.combine(byte) }
  }
}
