import Testing

@testable import Collector

@Suite("JSON slices")
struct JSONSlicesTests {
  @Test("elements come out as they stand, brackets and commas in strings included")
  func elements() {
    #expect(
      elements(#" [ {"a":[1,2]} , "],[\"" ,3.10, [] ] "#) == [#"{"a":[1,2]}"#, #""],[\"""#, "3.10", "[]"])
    #expect(elements("[]") == [])
    #expect(elements("[ \n ]") == [])
  }

  @Test("members come out in order with their keys")
  func members() {
    let members = JSONSlices.members(Array(#"{"a" : {"b":"}"} ,"c\"d":"x:y"}"#.utf8)[...])
    #expect(members?.map(\.key) == ["a", #"c\"d"#])
    #expect(members?.map { String(decoding: $0.value, as: UTF8.self) } == [#"{"b":"}"}"#, #""x:y""#])
  }

  @Test(
    "a broken structure gives nothing",
    arguments: ["", "[", "]", "[1", "1]", "[1,]", "[,1]", "[[1]", "[1]]", #"["a]"#, #"["\"]"#, "{}", "[}]"])
  func broken(text: String) {
    #expect(elements(text) == nil)
  }

  @Test("a body of nothing but brackets costs no stack")
  func deep() {
    let depth = 1_000_000
    #expect(elements("[" + String(repeating: "[", count: depth) + "]") == nil)
  }

  @Test(
    "a number that no double holds is found by its key, also in what is no JSON",
    arguments: [
      (#"{"a":1,"b":{"c":[1,-1e400]}}"#, "c"), (#"{"a":{"b":1},"c" : 1E+999}"#, "c"),
      (#"{"a":[{"b":1},1e400]}"#, "a"), ("[1e400]", ""), ("1e400", ""), (#"{"a":1e400"#, "a"),
      (#"{"a":"1e400","b":"\":1e400","c":1.7e308,"d":1e-400,"e":true}"#, nil), ("{", nil), ("]1e400", nil),
    ] as [(String, String?)])
  func tooLarge(text: String, key: String?) {
    #expect(JSONSlices.keyOfTooLargeNumber(Array(text.utf8)[...]) == key)
  }

  @Test("nothing is looked for so deep that nobody reads it")
  func tooLargeDeep() {
    let deep = String(repeating: "[", count: 1_000_000) + "1e400"
    #expect(JSONSlices.keyOfTooLargeNumber(Array(deep.utf8)[...]) == nil)
  }

  private func elements(_ text: String) -> [String]? {
    JSONSlices.elements(Array(text.utf8)[...])?.map { String(decoding: $0, as: UTF8.self) }
  }
}
