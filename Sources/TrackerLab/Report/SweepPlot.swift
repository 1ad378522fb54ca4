import TrackerCore

/// The charge of the GPS and the way that nobody saw, over the values of one setting: the two that are bought with each other.
struct SweepPlot {
  let results: [ReplayResult]
  let id: String

  private static let (width, height) = (640.0, 300.0)
  private static let (left, right, top, bottom) = (60.0, 580.0, 30.0, 250.0)

  private struct Series {
    var name: String
    var unit: String
    var decimals: Int
    var values: [Double]

    /// The axis begins at 0: a flat line is to look flat.
    var most: Double { max(values.max() ?? 0, 1e-9) * 1.1 }
  }

  private var series: [Series] {
    [
      Series(
        name: "charge of the GPS", unit: "mAh", decimals: 0, values: results.map(\.totals.energy.gps_mAh)),
      Series(
        name: "way that nobody saw", unit: "km", decimals: 2, values: results.map { $0.unseen_m / 1000 }),
    ]
  }

  var html: HTML {
    let key = SweepTable(results: results).key
    let words = zip(results, zip(series[0].values, series[1].values)).map { result, pair in
      "\(SweepTable.value(of: result)): \(fixed(pair.0, decimals: 0)) mAh, \(fixed(pair.1, decimals: 2)) km"
    }
    return """
      <figure class="plot">
      <svg role="img" aria-labelledby="\(id)-plot \(id)-plot-d" viewBox="0 0 \(Int(Self.width)) \(Int(Self.height))">
      <title id="\(id)-plot">What \(key) costs and brings</title>
      <desc id="\(id)-plot-d">\(words.joined(separator: "; ")).</desc>
      \(rules)\(HTML(series.enumerated().map(line)))\(labels(key))
      </svg>
      <figcaption>Left the charge that the GPS takes, right and dashed the way that nobody saw; both axes begin at 0.</figcaption>
      </figure>

      """
  }

  /// Values stand side by side, evenly: they are rarely spaced so themselves.
  private func x(_ index: Int) -> Double {
    let step = (Self.right - Self.left) / Double(max(1, results.count))
    return Self.left + step * (Double(index) + 0.5)
  }

  private func y(_ value: Double, of series: Series) -> Double {
    Self.bottom - (Self.bottom - Self.top) * value / series.most
  }

  private func line(_ number: Int, _ series: Series) -> HTML {
    let points = series.values.enumerated().map { (x($0), y($1, of: series)) }
    let path = points.enumerated().map { index, point in
      "\(index == 0 ? "M" : "L")\(number1(point.0)) \(number1(point.1))"
    }
    let dots = points.map { point -> HTML in
      "<circle class=\"s\(number)\" cx=\"\(number1(point.0))\" cy=\"\(number1(point.1))\" r=\"4\"/>"
    }
    return "<path class=\"s\(number)\" d=\"\(path.joined())\"/>\(HTML(dots))\n"
  }

  private func number1(_ value: Double) -> String { fixed(value, decimals: 1) }

  private var rules: HTML {
    HTML(
      [0.0, 0.5, 1].map { share -> HTML in
        let y = number1(Self.bottom - (Self.bottom - Self.top) * share)
        return
          "<line class=\"rule\" x1=\"\(number1(Self.left))\" x2=\"\(number1(Self.right))\" y1=\"\(y)\" y2=\"\(y)\"/>"
      })
  }

  private func labels(_ key: String) -> HTML {
    var html: HTML = ""
    for (number, series) in series.enumerated() {
      let (x, anchor) = number == 0 ? (Self.left - 6, "end") : (Self.right + 6, "start")
      for share in [0.0, 0.5, 1] {
        let y = Self.bottom - (Self.bottom - Self.top) * share + 4
        let text = fixed(series.most * share, decimals: series.decimals)
        html += "<text x=\"\(number1(x))\" y=\"\(number1(y))\" text-anchor=\"\(anchor)\">\(text)</text>"
      }
      let (titleX, titleAnchor) = number == 0 ? (4.0, "start") : (Self.width - 4, "end")
      html += """
        <text class="s\(number)" x="\(number1(titleX))" y="14" text-anchor="\(titleAnchor)">\(series.name), \(series.unit)</text>
        """
    }
    for (index, result) in results.enumerated() {
      html += """
        <text x="\(number1(x(index)))" y="\(number1(Self.bottom + 18))" text-anchor="middle">\(SweepTable.value(of: result))</text>
        """
    }
    return html + """
      <text x="\(number1((Self.left + Self.right) / 2))" y="\(number1(Self.bottom + 40))" text-anchor="middle">\(key)</text>
      """
  }
}
