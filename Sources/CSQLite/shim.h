#ifndef CSQLITE_SHIM_H
#define CSQLITE_SHIM_H

#include <sqlite3.h>

/// SQLITE_TRANSIENT is a cast that Swift does not import: SQLite copies the text.
static inline int godwit_sqlite_bind_text(sqlite3_stmt *statement, int index, const char *text, int length) {
  return sqlite3_bind_text(statement, index, text, length, SQLITE_TRANSIENT);
}

/// sqlite3_db_config is variadic, which Swift cannot call. With `leave` the last close of a file in WAL mode
/// neither writes the log back nor deletes it.
static inline int godwit_sqlite_leave_wal_on_close(sqlite3 *database, int leave) {
  return sqlite3_db_config(database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, leave, (int *)0);
}

#endif
