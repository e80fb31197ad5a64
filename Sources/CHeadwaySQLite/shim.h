#include <sqlite3.h>

// Binds text that SQLite copies; the macro for that is a cast that Swift cannot read.
static inline int hs_bind_text(sqlite3_stmt *statement, int index, const void *text, int size) {
  return sqlite3_bind_text(statement, index, (const char *)text, size, SQLITE_TRANSIENT);
}

// Binds bytes that SQLite copies.
static inline int hs_bind_blob(sqlite3_stmt *statement, int index, const void *bytes, int size) {
  return sqlite3_bind_blob(statement, index, bytes, size, SQLITE_TRANSIENT);
}
