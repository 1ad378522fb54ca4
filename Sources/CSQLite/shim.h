#ifndef CSQLITE_SHIM_H
#define CSQLITE_SHIM_H

#include <sqlite3.h>

/// Macros that Swift does not import.
static const int godwit_sqlite_ioerr_read = SQLITE_IOERR_READ;
static const int godwit_sqlite_ioerr_short_read = SQLITE_IOERR_SHORT_READ;
static const int godwit_sqlite_ioerr_corruptfs = SQLITE_IOERR_CORRUPTFS;

/// SQLITE_TRANSIENT is a cast that Swift does not import: SQLite copies the text.
static inline int godwit_sqlite_bind_text(sqlite3_stmt *statement, int index, const char *text, int length) {
  return sqlite3_bind_text(statement, index, text, length, SQLITE_TRANSIENT);
}

/// sqlite3_db_config is variadic, which Swift cannot call. With `leave` the last close of a file in WAL mode
/// neither writes the log back nor deletes it.
static inline int godwit_sqlite_leave_wal_on_close(sqlite3 *database, int leave) {
  return sqlite3_db_config(database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, leave, (int *)0);
}

/// sqlite3_config is variadic, too. Memory is taken as it is needed: else each connection takes twenty pages at once, twice,
/// and 40 kB for statements, which are prepared once here. To be called before the first connection.
static inline void godwit_sqlite_take_little(void) {
  sqlite3_config(SQLITE_CONFIG_PAGECACHE, (void *)0, 0, 0);
  sqlite3_config(SQLITE_CONFIG_LOOKASIDE, 0, 0);
}

/// The main file grows in steps of so many bytes, each allocated as a whole, and keeps them.
static inline int godwit_sqlite_set_chunk_size(sqlite3 *database, int bytes) {
  return sqlite3_file_control(database, "main", SQLITE_FCNTL_CHUNK_SIZE, &bytes);
}

/// Allocates storage for the main file up to so many bytes, rounded up to a chunk, for good: a log that speaks of
/// pages that a power cut has taken from the file could not be written back.
static inline int godwit_sqlite_allocate(sqlite3 *database, sqlite3_int64 bytes) {
  int code = sqlite3_file_control(database, "main", SQLITE_FCNTL_SIZE_HINT, &bytes);
  if (code != SQLITE_OK) return code;
  sqlite3_file *file = 0;
  code = sqlite3_file_control(database, "main", SQLITE_FCNTL_FILE_POINTER, &file);
  if (code != SQLITE_OK || !file || !file->pMethods) return code;
  return file->pMethods->xSync(file, SQLITE_SYNC_FULL);
}

/// Bytes of the main file that is open, whatever its name now stands for; 0 if that cannot be known.
static inline sqlite3_int64 godwit_sqlite_file_size(sqlite3 *database) {
  sqlite3_file *file = 0;
  sqlite3_int64 bytes = 0;
  int code = sqlite3_file_control(database, "main", SQLITE_FCNTL_FILE_POINTER, &file);
  if (code != SQLITE_OK || !file || !file->pMethods) return 0;
  return file->pMethods->xFileSize(file, &bytes) == SQLITE_OK ? bytes : 0;
}

/// Whether the main file that is open no longer has its name.
static inline int godwit_sqlite_has_moved(sqlite3 *database) {
  int moved = 0;
  return sqlite3_file_control(database, "main", SQLITE_FCNTL_HAS_MOVED, &moved) == SQLITE_OK && moved;
}

/// With `keep` the log stays on storage when the last connection closes.
static inline int godwit_sqlite_keep_log(sqlite3 *database, int keep) {
  return sqlite3_file_control(database, "main", SQLITE_FCNTL_PERSIST_WAL, &keep);
}

#endif
