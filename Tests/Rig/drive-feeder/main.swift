print("drive-feeder")
