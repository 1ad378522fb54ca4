import TrackerCore

/// What stands around the map.
extension MapPicture {
  var description: String {
    let kept = counted(result.kept.count, "kept fix", "kept fixes")
    let trips = counted(result.trips.count, "trip")
    let stops = counted(result.stops.count, "parked place")
    let worst =
      result.error.worstAt == nil ? "" : " The worst error is \(fixed(result.error.worst_m, decimals: 1)) m."
    return "\(trips) with \(kept), \(stops). North is up.\(worst)"
  }

  var legend: HTML {
    let radius = "\(fixed(result.stationaryRadius_m, decimals: 0)) m"
    var items: [HTML] = [
      key("<path class=\"recorded\" d=\"M1 9H21\"/>", "recorded"),
      key("<path class=\"kept\" d=\"M1 9H21\"/><path class=\"dots\" d=\"M6 9h0M16 9h0\"/>", "kept"),
    ]
    if !result.trips.isEmpty {
      items += [
        key("<g class=\"start\"><circle cx=\"11\" cy=\"9\" r=\"8\"/></g>", "trip starts"),
        key(
          "<g class=\"end\"><rect x=\"3.5\" y=\"1.5\" width=\"15\" height=\"15\" rx=\"2\"/></g>", "trip ends"
        ),
      ]
    }
    if !result.stops.isEmpty {
      let picture: HTML =
        "<circle class=\"fence\" cx=\"11\" cy=\"9\" r=\"8\"/><circle class=\"stop\" cx=\"11\" cy=\"9\" r=\"4.5\"/>"
      items.append(key(picture, "parked (circle: stationary geofence, \(radius))"))
    }
    if !geofences.isEmpty {
      items.append(key("<circle class=\"geofence\" cx=\"11\" cy=\"9\" r=\"8\"/>", geofences.legend))
    }
    if result.error.worstAt != nil {
      items.append(key("<path class=\"worst\" d=\"M11 2l7 7l-7 7l-7-7z\"/>", "worst error"))
    }
    if !result.jumps.isEmpty {
      items.append(
        key(
          "<use href=\"#cross\" x=\"11\" y=\"9\" class=\"jump\"/>",
          "position jump (\(result.jumps.count)): kept with a flag, not in the line")
      )
    }
    return "<ul class=\"legend\">\(HTML(items))</ul>"
  }

  private func key(_ picture: HTML, _ text: String) -> HTML {
    "<li><svg width=\"22\" height=\"18\" aria-hidden=\"true\">\(picture)</svg>\(text)</li>"
  }

  var caption: HTML {
    let error: HTML =
      result.error.worstAt == nil
      ? ""
      : """
       The worst error is the largest distance between a recorded fix of a trip and the kept line at the same \
      moment.
      """
    let crowded: HTML =
      result.trips.count > MapPicture.mostNumberedTrips
      ? " The trips are too many to number them here; point at a line." : ""
    return """
      The thin line is where the vehicle was; the strong one is what the server would draw from the kept \
      fixes.\(error)\(crowded)
      """
  }
}
