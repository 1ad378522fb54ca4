import ArgumentParser
import Collector
import Foundation
import Glibc

/// What the pages are made of.
struct PageOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The folder of the collector's pages; without it where the package or the build has put them.",
      valueName: "folder"), completion: .directory)
  var pages: String?

  @Option(
    help: ArgumentHelp(
      "The folder of Leaflet, which draws the map (Debian's libjs-leaflet).", valueName: "folder"),
    completion: .directory)
  var leaflet = "/usr/share/javascript/leaflet"

  @Option(
    help: ArgumentHelp(
      "Where browsers get the map's tiles, with {z}, {x} and {y}. Without it, and without --mbtiles, the map is a grid.",
      valueName: "URL"))
  var tiles: String?

  @Option(
    help: ArgumentHelp("A file of tiles (MBTiles, pictures), for maps without a network.", valueName: "file"),
    completion: .file())
  var mbtiles: String?

  @Option(help: ArgumentHelp("Whom the map names as its source.", valueName: "text"))
  var attribution: String?

  @Option(
    help: ArgumentHelp(
      "godwit.schema.json of the agents' version, for the form of settings.", valueName: "file"),
    completion: .file())
  var settingsSchema: String?

  @Option(
    help: ArgumentHelp(
      "godwit-lab, which simulates a vehicle's day with other settings.", valueName: "file"),
    completion: .file())
  var simulator: String?

  @Option(
    help: ArgumentHelp("The command that takes mails of webhooks, as sendmail does.", valueName: "file"),
    completion: .file())
  var sendmail: String?

  func validate() throws {
    guard tiles == nil || mbtiles == nil else {
      throw ValidationError("The map's tiles come from --tiles or from --mbtiles: leave out one of them.")
    }
  }

  func read(into options: inout CollectorOptions) throws {
    if let folder = pages ?? PageFiles.usualFolder(of: Self.program) {
      let hasLeaflet = FileManager.default.fileExists(atPath: leaflet)
      options.pages = try PageFiles(own: folder, leaflet: hasLeaflet ? leaflet : nil)
      options.gazetteer = Gazetteer(file: "\(folder)/places.tsv")
      if !options.pages.hasMap {
        note(
          "the pages have no map: there is no Leaflet in \(leaflet); install libjs-leaflet, or see --leaflet")
      }
    } else {
      note(
        "there are no pages here: --pages names their folder; devices and programs are served all the same")
    }
    if let tiles { options.map = try MapSource(url: tiles, attribution: attribution) }
    if let mbtiles { options.map = try MapSource(file: mbtiles, attribution: attribution) }
    options.schema = try schema()
    let mail = "/usr/sbin/sendmail"
    options.sendmail = sendmail ?? (access(mail, X_OK) == 0 ? mail : nil)
    let program = simulator ?? "/usr/bin/godwit-lab"
    if simulator != nil || access(program, X_OK) == 0 { options.simulator = Simulator(program: program) }
  }

  private static var program: String {
    (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? CommandLine.arguments[0]
  }

  /// The package's, where no other is named; a program that was built here takes the checkout's.
  private func schema() throws -> SettingsSchema? {
    let beside = URL(fileURLWithPath: Self.program).pathComponents
    let checkout = beside.lastIndex(of: "collector").map {
      beside[..<$0].joined(separator: "/") + "/config/godwit.schema.json"
    }
    let places = settingsSchema.map { [$0] } ?? [checkout, SettingsSchema.usualFile].compactMap(\.self)
    guard let file = places.first(where: { FileManager.default.fileExists(atPath: $0) }) ?? settingsSchema
    else {
      return nil
    }
    do {
      guard let schema = SettingsSchema(text: try String(contentsOfFile: file, encoding: .utf8)) else {
        throw StartError.noSchema(file: file)
      }
      return schema
    } catch let error as StartError {
      if settingsSchema == nil { return nil }
      throw error
    } catch {
      throw StartError.cannotReadSchema(file: file, words: error.localizedDescription)
    }
  }
}
