import Testing

@testable import Collector

@Suite("Fleet page")
struct PageTests {
  @Test("the page shows each device, where it is and when it was heard")
  func devices() async throws {
    try await withCollector { client, _ in
      _ = try await client.post(body([record(uuid(1), longitude: "-0.05")]))
      let answer = try await client.get("/")
      #expect(answer.headers[.contentType] == "text/html; charset=utf-8")
      for part in [
        "<h2>van-7 <span>moving</span></h2>", "59.32930, -0.05000</a> ± 5 m", "45 km/h",
        "10 min ago <small>2026-01-01 00:00 UTC</small>", "just now <small>2026-01-01 00:10 UTC</small>",
      ] {
        #expect(answer.text.contains(part))
      }
    }
  }

  @Test("the page needs nothing from elsewhere and runs nothing")
  func selfContained() async throws {
    try await withCollector { client, _ in
      let answer = try await client.get("/")
      let policy = "default-src 'none'; style-src 'unsafe-inline'"
      #expect(answer.headers[.contentSecurityPolicy] == policy)
      #expect(answer.text.contains("No device has reported yet."))
      #expect(!answer.text.contains("<script") && !answer.text.contains("src="))
    }
  }

  @Test("a device's name cannot become markup")
  func escaping() async throws {
    try await withCollector { client, _ in
      _ = try await client.post(body([]), device: "<img src=x onerror='a&b'>")
      let text = try await client.get("/").text
      #expect(text.contains("&lt;img src=x onerror=&#39;a&amp;b&#39;&gt;"))
      #expect(!text.contains("<img"))
    }
  }

  @Test(
    "ages are reported in the unit that matters",
    arguments: [
      (0, "just now"), (59_999, "just now"), (60_000, "1 min ago"), (7_199_999, "119 min ago"),
      (7_200_000, "2 h ago"), (172_799_999, "47 h ago"), (172_800_000, "2 days ago"),
      (-30_000, "just now"), (-3_600_000, "in the future"),
    ])
  func ages(age_ms: Int64, text: String) {
    #expect(Page.age(age_ms) == text)
  }
}
