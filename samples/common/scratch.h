/* A file on disk for the samples, gone when they end.
 * Threads: any. */
#ifndef WI_SAMPLES_SCRATCH_H
#define WI_SAMPLES_SCRATCH_H

/* A new file in TMPDIR (else the current folder), already unlinked. flags: added to open's, 0 or
 * O_DIRECT. If the file system refuses, the program ends with status 77: it cannot show anything.
 */
int scratch_open(int flags);

#endif
