/* Empty: cupti_callbacks.h includes it and uses nothing of it.
 * Threads: none. May not: hold anything. */
