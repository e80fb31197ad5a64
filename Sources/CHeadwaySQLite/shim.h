#include <sqlite3.h>

// Binds text that SQLite copies; the macro for that is a cast that Swift cannot read.
static inline int hs_bind_text(sqlite3_stmt *statement, int place, const void *text, int size) {
  return sqlite3_bind_text(statement, place, (const char *)text, size, SQLITE_TRANSIENT);
}
