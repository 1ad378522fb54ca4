extension RandomAccessCollection where Index == Int {
  /// Where the second part begins, by bisection: `isSecond` is false for all that comes before, and true from there on.
  public func partitioningIndex(where isSecond: (Element) -> Bool) -> Int {
    var (low, high) = (startIndex, endIndex)
    while low < high {
      let middle = (low + high) / 2
      if isSecond(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
