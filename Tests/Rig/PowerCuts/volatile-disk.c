/* A disk whose write cache forgets: FOLDER/disk, as large as IMAGE.
 *
 *   volatile-disk IMAGE FOLDER
 *
 * A write is kept in memory, sector by sector and in order; a flush (fsync) brings all of them into IMAGE. Commands come
 * as lines on stdin and are each answered by one line:
 *
 *   cut all|half|prefix TEAR SEED   the power fails: of the writes since the last flush all are forgotten, a random half,
 *                                   or all but a prefix. TEAR (512 or 4096 bytes) is what is written whole or not at all.
 *                                   Until power is back writes vanish and a flush is an error.
 *   power                           the power is back, with what IMAGE holds
 *   fail write|flush                from now on each write, or each flush, is an I/O error (EIO) and does nothing
 *   slow S                          the next write or flush takes S seconds
 *   fail read OFFSET LENGTH         from now on each read of a part of it is an I/O error, until some of it is written:
 *                                   then the disk has put another sector in its place
 *   heal                            writes, flushes and reads work again
 *
 * When stdin ends, the program does.
 */
#define FUSE_USE_VERSION 31
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <fuse3/fuse.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SECTOR = 512 };

/* As slow as a good SD card: a cut then falls into writes and flushes about as often as in the field. */
enum { WRITE_US = 100, FLUSH_US = 2000 };

/* One sector as one write left it. */
struct entry {
  uint64_t sector;
  uint64_t write;
  unsigned char bytes[SECTOR];
};

static struct {
  pthread_mutex_t lock;
  int image;
  off_t size;
  /* Everything written since the last flush, oldest first: a cut may leave any version of a sector. */
  struct entry *cache;
  size_t count, room;
  /* By sector: 1 + the index of its newest entry, 0 when IMAGE is right. */
  uint32_t *newest;
  uint64_t writes, flushes;
  bool dead, fails_writes, fails_flushes;
  /* Reads of it fail; none while it is empty. */
  off_t bad_start, bad_end;
  unsigned stall_s;
} disk = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void die(const char *what) {
  fprintf(stderr, "volatile-disk: %s: %s\n", what, strerror(errno));
  _exit(1);
}

/* MARK: Sectors. The lock is held. */

static void read_image(void *bytes, size_t count, off_t offset) {
  if (pread(disk.image, bytes, count, offset) != (ssize_t)count) die("read of the image");
}

static void apply(const struct entry *entry) {
  if (pwrite(disk.image, entry->bytes, SECTOR, (off_t)(entry->sector * SECTOR)) != SECTOR) die("write of the image");
}

static void forget_cache(void) {
  for (size_t i = 0; i < disk.count; i++) disk.newest[disk.cache[i].sector] = 0;
  disk.count = 0;
}

static struct entry *add_entry(uint64_t sector) {
  if (disk.count == disk.room) {
    disk.room = disk.room ? disk.room * 2 : 4096;
    disk.cache = realloc(disk.cache, disk.room * sizeof *disk.cache);
    if (!disk.cache) die("memory for the cache");
  }
  struct entry *entry = &disk.cache[disk.count];
  uint32_t before = disk.newest[sector];
  if (before) {
    memcpy(entry->bytes, disk.cache[before - 1].bytes, SECTOR);
  } else {
    read_image(entry->bytes, SECTOR, (off_t)(sector * SECTOR));
  }
  entry->sector = sector;
  entry->write = disk.writes;
  disk.newest[sector] = (uint32_t)++disk.count;
  return entry;
}

static void flush(void) {
  for (size_t i = 0; i < disk.count; i++) {
    if (disk.newest[disk.cache[i].sector] == i + 1) apply(&disk.cache[i]);
  }
  forget_cache();
}

/* MARK: The cut */

/* splitmix64: one well mixed number for each input. */
static uint64_t mix(uint64_t x) {
  x += 0x9E3779B97F4A7C15u;
  x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9u;
  x = (x ^ x >> 27) * 0x94D049BB133111EBu;
  return x ^ x >> 31;
}

/* Sectors with the same unit of one write share their fate. */
static uint64_t unit(const struct entry *entry, uint64_t tear) {
  return mix(entry->write) ^ entry->sector / (tear / SECTOR);
}

/* Returns how many sectors survive. */
static size_t cut(const char *mode, uint64_t tear, uint64_t seed) {
  size_t kept = 0, prefix = 0;
  if (!strcmp(mode, "prefix")) {
    prefix = mix(seed) % (disk.count + 1);
    while (prefix > 0 && prefix < disk.count
           && unit(&disk.cache[prefix - 1], tear) == unit(&disk.cache[prefix], tear)) prefix--;
  }
  bool half = !strcmp(mode, "half");
  for (size_t i = 0; i < disk.count; i++) {
    if (half ? !(mix(seed ^ unit(&disk.cache[i], tear)) & 1) : i >= prefix) continue;
    apply(&disk.cache[i]);
    kept++;
  }
  return kept;
}

static bool obey(const char *line) {
  char mode[8];
  unsigned long long tear, seed, offset, length;
  bool known = true;
  pthread_mutex_lock(&disk.lock);
  if (sscanf(line, "cut %7s %llu %llu", mode, &tear, &seed) == 3 && (tear == 512 || tear == 4096)) {
    size_t forgettable = disk.count;
    disk.dead = true;
    size_t kept = cut(mode, tear, seed);
    forget_cache();
    printf("cut unflushed=%zu kept=%zu writes=%llu flushes=%llu\n", forgettable, kept,
           (unsigned long long)disk.writes, (unsigned long long)disk.flushes);
  } else if (!strcmp(line, "power\n")) {
    disk.dead = false;
    printf("power\n");
  } else if (!strcmp(line, "fail write\n") || !strcmp(line, "fail flush\n")) {
    *(line[5] == 'w' ? &disk.fails_writes : &disk.fails_flushes) = true;
    printf("%s", line);
  } else if (sscanf(line, "fail read %llu %llu", &offset, &length) == 2) {
    disk.bad_start = (off_t)offset;
    disk.bad_end = (off_t)(offset + length);
    printf("%s", line);
  } else if (sscanf(line, "slow %u", &disk.stall_s) == 1) {
    printf("%s", line);
  } else if (!strcmp(line, "heal\n")) {
    disk.fails_writes = disk.fails_flushes = false;
    disk.bad_start = disk.bad_end = 0;
    printf("heal\n");
  } else {
    known = false;
  }
  pthread_mutex_unlock(&disk.lock);
  fflush(stdout);
  return known;
}

static void *obey_all(void *unused) {
  (void)unused;
  char line[128];
  while (fgets(line, sizeof line, stdin)) {
    if (!obey(line)) {
      fprintf(stderr, "volatile-disk: unknown command: %s", line);
      _exit(64);
    }
  }
  _exit(0);
}

/* MARK: The file */

/* Before each write and flush, without the lock. */
static void take_time(unsigned us) {
  usleep(us);
  pthread_mutex_lock(&disk.lock);
  unsigned stall_s = disk.stall_s;
  disk.stall_s = 0;
  pthread_mutex_unlock(&disk.lock);
  if (stall_s) sleep(stall_s);
}

static bool is_disk(const char *path) { return !strcmp(path, "/disk"); }

static int on_getattr(const char *path, struct stat *info, struct fuse_file_info *file) {
  (void)file;
  memset(info, 0, sizeof *info);
  if (!strcmp(path, "/")) {
    info->st_mode = S_IFDIR | 0755;
    info->st_nlink = 2;
    return 0;
  }
  if (!is_disk(path)) return -ENOENT;
  info->st_mode = S_IFREG | 0600;
  info->st_nlink = 1;
  info->st_size = disk.size;
  return 0;
}

static int on_readdir(const char *path, void *buffer, fuse_fill_dir_t fill, off_t offset,
                      struct fuse_file_info *file, enum fuse_readdir_flags flags) {
  (void)path, (void)offset, (void)file, (void)flags;
  fill(buffer, "disk", NULL, 0, 0);
  return 0;
}

static int on_open(const char *path, struct fuse_file_info *file) {
  /* No second cache in the kernel, which would remember what the disk forgets. */
  file->direct_io = 1;
  return is_disk(path) ? 0 : -ENOENT;
}

static int on_read(const char *path, char *bytes, size_t count, off_t offset, struct fuse_file_info *file) {
  (void)path, (void)file;
  if (offset >= disk.size) return 0;
  if ((off_t)count > disk.size - offset) count = (size_t)(disk.size - offset);
  off_t end = offset + (off_t)count;
  pthread_mutex_lock(&disk.lock);
  if (offset < disk.bad_end && end > disk.bad_start) {
    pthread_mutex_unlock(&disk.lock);
    return -EIO;
  }
  read_image(bytes, count, offset);
  for (off_t start = offset / SECTOR * SECTOR; start < end; start += SECTOR) {
    uint32_t newest = disk.newest[start / SECTOR];
    if (!newest) continue;
    off_t from = start < offset ? offset : start, to = start + SECTOR < end ? start + SECTOR : end;
    memcpy(bytes + (from - offset), disk.cache[newest - 1].bytes + (from - start), (size_t)(to - from));
  }
  pthread_mutex_unlock(&disk.lock);
  return (int)count;
}

static int on_write(const char *path, const char *bytes, size_t count, off_t offset, struct fuse_file_info *file) {
  (void)path, (void)file;
  off_t end = offset + (off_t)count;
  if (end > disk.size) return -ENOSPC;
  take_time(WRITE_US);
  pthread_mutex_lock(&disk.lock);
  if (disk.fails_writes) {
    pthread_mutex_unlock(&disk.lock);
    return -EIO;
  }
  if (offset < disk.bad_end && end > disk.bad_start) disk.bad_start = disk.bad_end = 0;
  disk.writes++;
  for (off_t start = offset / SECTOR * SECTOR; start < end && !disk.dead; start += SECTOR) {
    off_t from = start < offset ? offset : start, to = start + SECTOR < end ? start + SECTOR : end;
    struct entry *entry = add_entry((uint64_t)(start / SECTOR));
    memcpy(entry->bytes + (from - start), bytes + (from - offset), (size_t)(to - from));
  }
  pthread_mutex_unlock(&disk.lock);
  return (int)count;
}

static int on_fsync(const char *path, int datasync, struct fuse_file_info *file) {
  (void)path, (void)datasync, (void)file;
  take_time(FLUSH_US);
  pthread_mutex_lock(&disk.lock);
  bool fails = disk.dead || disk.fails_flushes;
  if (!fails) {
    disk.flushes++;
    flush();
  }
  pthread_mutex_unlock(&disk.lock);
  return fails ? -EIO : 0;
}

int main(int count, char **arguments) {
  if (count != 3) {
    fprintf(stderr, "usage: volatile-disk IMAGE FOLDER\n");
    return 64;
  }
  disk.image = open(arguments[1], O_RDWR | O_CLOEXEC);
  if (disk.image < 0) die(arguments[1]);
  disk.size = lseek(disk.image, 0, SEEK_END);
  disk.newest = calloc((size_t)(disk.size / SECTOR) + 1, sizeof *disk.newest);
  if (!disk.newest) die("memory for the sectors");
  pthread_t commands;
  if (pthread_create(&commands, NULL, obey_all, NULL)) die("pthread_create");

  static const struct fuse_operations operations = {
    .getattr = on_getattr, .readdir = on_readdir, .open = on_open, .read = on_read, .write = on_write,
    .fsync = on_fsync,
  };
  char *fuse[] = {arguments[0], "-f", "-s", arguments[2], NULL};
  return fuse_main(4, fuse, &operations, NULL);
}
