/* Which kernels belong to a communication library (NCCL, RCCL, NVSHMEM), by name.
 * Threads: any. May not: allocate. */
#ifndef WI_MODEL_COLLECTIVE_H
#define WI_MODEL_COLLECTIVE_H

/* 1 if a kernel of this name is a collective; producers of ops set WI_OP_COLLECTIVE then. */
int wi_name_is_collective(const char *name);
/* 1 if it is one in which ranks exchange data in pairs, not all together. */
int wi_name_is_point_to_point(const char *name);

#endif
