import Testing
import TrackerCore
@testable import TrackerLab

@Suite("The report as a page")
struct ReportTestsPage {
  private let two = ReplayReport.html([
    .full(), .full(settings: "150m.toml", changed: ["motion.stationary_radius_m = 150"], gpsOn_s: 1800),
  ])

  @Test("tags match, attributes are quoted, no id comes twice, every link leads somewhere")
  func wellFormed() {
    let check = MarkupCheck(two)
    #expect(check.problems == [])
    #expect(check.ids.contains("r2-trip1"))
    let targets = two.split(separator: "href=\"#").dropFirst().map { String($0.prefix { $0 != "\"" }) }
    #expect(!targets.isEmpty)
    #expect(Set(targets).subtracting(check.ids) == [])
  }

  @Test("the checker sees what is wrong")
  func checker() {
    let flaws = [
      "<p>", "<p></b>", "<a b=c></a>", "<p>&</p>", "<i id=\"x\"></i><b id=\"x\"></b>", "<a b=\"c></a>",
    ]
    for flaw in flaws { #expect(!MarkupCheck(flaw).problems.isEmpty, "\(flaw)") }
  }

  @Test("the page needs no script, no network and no other file")
  func selfContained() {
    for forbidden in ["<script", "http:", "https:", "//", "src=", "@import", "<link"] {
      #expect(!two.contains(forbidden), "\(forbidden)")
    }
    #expect(!two.contains(/<[^>]* on[a-z]+=/), "an event handler")
    #expect(two.split(separator: "url(").dropFirst().allSatisfy { $0.hasPrefix("#") })
  }

  @Test("a browser learns language, width and colour schemes")
  func head() {
    #expect(two.hasPrefix("<!doctype html>\n<html lang=\"en\">"))
    #expect(two.contains("<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">"))
    #expect(two.contains("@media (prefers-color-scheme: dark)"))
    #expect(two.contains("<title>Godwit simulation: tuesday.csv</title>"))
  }

  @Test("every picture has a title and a description, every table a caption and headings")
  func accessible() {
    let pictures = two.split(separator: "role=\"img\"").dropFirst()
    #expect(pictures.count == 15)
    for picture in pictures { #expect(picture.prefix(600).contains("<desc id=")) }
    let tables = two.split(separator: "<table>").dropFirst()
    for table in tables {
      #expect(table.hasPrefix("<caption>"))
      #expect(table.contains("<th scope=\"col\">") && table.contains("<th scope=\"row\">"))
    }
  }

  @Test("a file's name and a setting cannot become markup")
  func escaping() {
    let name = "<img src=x onerror=\"alert(1)\">&'.csv"
    let page = ReplayReport.html([
      .full(name: name, settings: "\"><b>", changed: ["sync.headers = \"\u{301}><i>\u{0}\""]),
      .full(name: name, settings: "</style>"),
    ])
    #expect(MarkupCheck(page).problems == [])
    #expect(!page.contains("<img") && !page.contains("<b>>") && !page.contains("<i>"))
    #expect(page.contains("&lt;img src=x onerror=&quot;alert(1)&quot;&gt;&amp;&#39;.csv"))
    // Scalar by scalar: with its accent the quotation mark is another character.
    #expect(page.unicodeScalars.filter { $0 == "\u{301}" }.count == 2)
    #expect(page.contains("&quot;\u{301}&gt;&lt;i&gt;\u{FFFD}&quot;"))
  }

  @Test("an unknown cause is shown as it is, and escaped")
  func unknownCause() {
    var result = ReplayResult.full()
    result.gaps.append(NamedSpan(name: "moon & <stars>", span: .s(3000, 3100)))
    result.totals.warnings = ["moon & <stars>": 2]
    let page = ReplayReport.html([result])
    #expect(MarkupCheck(page).problems == [])
    #expect(page.contains("<th scope=\"row\">moon &amp; &lt;stars&gt;</th>"))
  }

  @Test("nothing is escaped that is markup of the report itself")
  func noDoubleEscape() {
    #expect(!two.contains("&lt;") && !two.contains("HTML(") && !two.contains("Optional("))
  }

  @Test("no results make a page that says so")
  func empty() {
    let page = ReplayReport.html([])
    #expect(MarkupCheck(page).problems == [])
    #expect(page.contains("There are no results."))
  }
}
