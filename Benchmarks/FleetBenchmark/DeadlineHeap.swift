/// Who is due next: a binary heap by time, and by number where times are equal.
struct DeadlineHeap {
  struct Due: Comparable {
    var time_ms: Int64
    var device: Int

    static func < (a: Due, b: Due) -> Bool {
      a.time_ms == b.time_ms ? a.device < b.device : a.time_ms < b.time_ms
    }
  }

  private var heap: [Due] = []

  mutating func insert(_ due: Due) {
    heap.append(due)
    var child = heap.count - 1
    while child > 0, heap[child] < heap[(child - 1) / 2] {
      heap.swapAt(child, (child - 1) / 2)
      child = (child - 1) / 2
    }
  }

  mutating func popFirst() -> Due? {
    guard let first = heap.first, let last = heap.popLast() else { return nil }
    if heap.isEmpty { return first }
    heap[0] = last
    var parent = 0
    while let child = smallerChild(of: parent), heap[child] < heap[parent] {
      heap.swapAt(child, parent)
      parent = child
    }
    return first
  }

  private func smallerChild(of parent: Int) -> Int? {
    let left = 2 * parent + 1
    guard left < heap.count else { return nil }
    return left + 1 < heap.count && heap[left + 1] < heap[left] ? left + 1 : left
  }
}
