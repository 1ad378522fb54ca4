import Glibc

/// Large tables of cases: the gate takes one in so many, `Tests/all cases` takes all.
func oneIn<Case>(_ share: Int, of cases: [Case]) -> [Case] {
  if getenv("GODWIT_EVERY_CASE") != nil { return cases }
  return stride(from: 0, to: cases.count, by: share).map { cases[$0] }
}
