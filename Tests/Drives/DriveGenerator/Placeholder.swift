public enum DriveGenerator {}
