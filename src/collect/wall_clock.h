/* Notices that the clock of all times has been set.
 * Threads: the one that arms, then whoever drains; one at a time. May not: allocate, wait. */
#ifndef WI_COLLECT_WALL_CLOCK_H
#define WI_COLLECT_WALL_CLOCK_H

/* While arming, and before each drain. A step since the last look is told as an interval that was
 * not recorded. */
void wi_wall_clock_look(void);

#endif
