// Writes the access log of a web server that never was: `make-log MEGABYTES`, the same bytes each time.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

// The state of the generator (xorshift); a fixed start makes every run the same run.
static uint64_t state = 88172645463325252u;

// The next number below `limit`.
static unsigned below(unsigned limit) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return (unsigned)((state >> 33) % limit);
}

// A number that is small more often than large, as popularity is.
static unsigned popular(unsigned limit) { return below(below(below(limit) + 1) + 1); }

int main(int count, char **arguments) {
  static const char *const pages[] = {"/", "/search?q=", "/item/", "/cart/", "/image/", "/static/app.js?v="};
  static const char *const agents[] = {"Mozilla/5.0 (X11; Linux x86_64)", "Mozilla/5.0 (Macintosh)",
                                       "curl/8.5.0", "feed-reader/1.2"};
  static const int codes[] = {200, 200, 200, 200, 200, 304, 404, 500};
  long left = (count > 1 ? atol(arguments[1]) : 60) * 1000000;
  for (unsigned second = 0;; second += below(2)) {
    char line[256];
    int length = snprintf(line, sizeof line,
                          "10.%u.%u.%u - - [01/Mar/2026:%02u:%02u:%02u +0000] \"GET %s%u HTTP/1.1\" %d %u \"%s\"\n",
                          popular(8), popular(256), popular(256), second / 3600 % 24, second / 60 % 60, second % 60,
                          pages[popular(6)], popular(5000), codes[popular(8)], 200 + popular(60000),
                          agents[popular(4)]);
    if (length > left) break;  // never more than asked for
    if (fwrite(line, 1, (size_t)length, stdout) != (size_t)length) return 1;
    left -= length;
  }
  return fclose(stdout) == 0 ? 0 : 1;
}
