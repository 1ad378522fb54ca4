/* A control of Tests/Rig/power-cuts, preloaded into the agent: it takes each flush for done, and nothing is flushed. */
int fsync(int descriptor) { return (void)descriptor, 0; }
int fdatasync(int descriptor) { return (void)descriptor, 0; }
