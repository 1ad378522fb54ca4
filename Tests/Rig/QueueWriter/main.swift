import Glibc
import TrackerIO

let arguments = CommandLine.arguments
guard arguments.count == 4, let seed = UInt64(arguments[2]),
  ["FULL", "NORMAL", "orders"].contains(arguments[3])
else {
  print(
    "usage: queue-writer PATH SEED FULL|NORMAL|orders (started by Tests/Rig/power-cuts and storage-faults)")
  exit(64)
}
var writer = QueueWriter(
  path: arguments[1], seed: seed, synchronous: arguments[3] == "NORMAL" ? .normal : .full)
do {
  if arguments[3] == "orders" { try writer.obey() } else { while true { try writer.live() } }
} catch {
  print("error \(error)")
  exit(1)
}
