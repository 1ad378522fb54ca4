/// An accelerometer on the board, under the kernel's IIO; docs/lines.md.
public struct AccelerometerSettings: SettingGroup {
  @Setting(
    "name",
    """
    Its name under /sys/bus/iio/devices/*/name, such as "lis3dh_accel", "adxl345" or "mpu6050". Empty: none is watched.
    """)
  public var name = ""
  @Setting(
    "wake_mps2", in: 0.05...20, remote: true,
    """
    If a parked vehicle is shaken by more than this, a probe starts at once. The agent learns how restless \
    its parking places are: where needed, the threshold rises from this value up to 2.5 m/s², which every \
    drive exceeds.
    """)
  public var wake_mps2 = 0.5
  @Setting(
    "tilt_deg", in: 0...90, remote: true,
    """
    A parked vehicle that is tilted by more than this from how it stood is being lifted or towed: a record \
    is sent at once. A load tilts a
    van by one or two degrees. 0: not watched.
    """)
  public var tilt_deg = 6.0
  @Setting(
    "crash_mps2", in: 0...1000, remote: true,
    """
    A driving vehicle that is hit harder than this has crashed: a record is sent at once. Only if the chip \
    reports it by itself. 8 km/h
    within 150 ms, by which event data recorders in the US are triggered (49 CFR 563), are 15 m/s² on the \
    mean and 24 at
    the peak; potholes stay below 20. The chip's range must reach that far: many are set to 19.6. 0: not \
    watched.
    """)
  public var crash_mps2 = 24.0
  @Setting(
    "event_in_mps2",
    "true: the driver takes its events' thresholds in m/s² (mpu6050), false: in units of in_accel_*_raw, as most do."
  )
  public var eventInMps2 = false

  public var exists: Bool { !name.isEmpty }
}
