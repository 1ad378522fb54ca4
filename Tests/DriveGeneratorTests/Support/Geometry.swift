import Glibc

/// Metres in a degree of latitude, mean earth radius (IUGG).
let metresPerDegree = 6_371_008.8 * Double.pi / 180

/// Metres between two near positions.
func distance_m(
  _ latitude_deg: Double, _ longitude_deg: Double, _ toLatitude_deg: Double, _ toLongitude_deg: Double
)
  -> Double
{
  let shrink = cos((latitude_deg + toLatitude_deg) / 2 * .pi / 180)
  return hypot(toLatitude_deg - latitude_deg, (toLongitude_deg - longitude_deg) * shrink) * metresPerDegree
}
