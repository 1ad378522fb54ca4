import ArgumentParser

/// A time as it is typed: 30m, 12h, 7d.
struct TimeOption: Equatable {
  var seconds: Int64

  /// - Parameter option: for the words of what is thrown.
  init(_ text: String, option: String) throws {
    let units: [Character: Int64] = ["m": 60, "h": 3600, "d": 86_400]
    guard let unit = text.last.flatMap({ units[$0] }), let number = Int64(text.dropLast()),
      (1...366 * 86_400 / unit).contains(number)
    else {
      throw ValidationError(
        "\(option) is a number of minutes, hours or days, such as 30m, 12h or 7d, up to 366d.")
    }
    seconds = number * unit
  }
}
