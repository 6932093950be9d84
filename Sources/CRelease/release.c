#include "CRelease.h"

const char *release_commit(void) { return COMMIT; }
