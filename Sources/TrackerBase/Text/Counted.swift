/// `1 record`, `2 records`: a number and its noun in a sentence.
///
/// - Parameter many: for others than one, where an `s` will not do, such as `records wait` beside `record waits`.
public func counted(_ number: some BinaryInteger, _ one: String, _ many: String? = nil) -> String {
  "\(number) \(number == 1 ? one : many ?? one + "s")"
}
