#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>

#include "CLinux.h"

int clinux_usable_processors(void) {
    // The kernel refuses a set that is smaller than its own.
    for (int count = 1024; count <= 1 << 20; count *= 2) {
        cpu_set_t *set = CPU_ALLOC(count);
        if (!set) return -1;
        size_t size = CPU_ALLOC_SIZE(count);
        int status = sched_getaffinity(0, size, set);
        int usable = status == 0 ? CPU_COUNT_S(size, set) : -1;
        CPU_FREE(set);
        if (status == 0) return usable;
        if (errno != EINVAL) return -1;
    }
    return -1;
}
