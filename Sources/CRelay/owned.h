// What the files of this module share.
#pragma once

#ifdef __linux__
/// Makes forks wait until `hw_owned_end`; the calling thread must create descriptors in between, and nothing else.
void hw_owned_begin(void);

/// Ends what `hw_owned_begin` began.
///
/// `descriptor` is owned from now on; -1 if creating one has failed. Keeps errno. Returns the descriptor, or -1 and sets errno
/// to EMFILE if its number is too large; then it is closed.
int hw_owned_end(int descriptor);
#endif
