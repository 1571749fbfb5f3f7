/* A file on disk for the samples, gone when they end.
 * Threads: any. */
#ifndef WI_SAMPLES_SCRATCH_H
#define WI_SAMPLES_SCRATCH_H

/* A new file in TMPDIR (else the current folder), already unlinked. flags: added to open's, 0 or
 * O_DIRECT. -1 if the file system refuses. */
int scratch_open(int flags);

#endif
