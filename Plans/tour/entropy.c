// Says how evenly a file uses its bytes and how small that alone would let it become: `entropy FILE`.
#include <math.h>
#include <stdio.h>

int main(int count, char **arguments) {
  static unsigned long seen[256];
  static unsigned char block[1 << 16];
  if (count != 2) return fputs("usage: entropy FILE\n", stderr), 64;
  FILE *file = fopen(arguments[1], "rb");
  if (!file) return perror(arguments[1]), 66;
  unsigned long total = 0;
  for (size_t got; (got = fread(block, 1, sizeof block, file)) > 0; total += got)
    for (size_t place = 0; place < got; place++) seen[block[place]]++;
  double bits = 0;
  int kinds = 0;
  for (int byte = 0; byte < 256; byte++) {
    if (!seen[byte]) continue;
    double share = (double)seen[byte] / (double)total;
    bits -= share * log2(share);
    kinds++;
  }
  printf("%lu bytes of %d kinds, %.3f bits each: %.0f bytes for a coder that sees one byte at a time\n", total,
         kinds, bits, bits / 8 * (double)total);
  for (int round = 0; round < 5; round++) {
    int best = 0;
    for (int byte = 1; byte < 256; byte++)
      if (seen[byte] > seen[best]) best = byte;
    printf("  %s%c%s %5.2f %%\n", best == ' ' ? "[" : " ", best == '\n' ? '$' : best, best == ' ' ? "]" : " ",
           100.0 * (double)seen[best] / (double)total);
    seen[best] = 0;
  }
  return 0;
}
