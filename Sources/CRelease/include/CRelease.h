// The build's facts about the release. A C file, because a C macro can have a value.
#ifndef CRELEASE_H
#define CRELEASE_H

// The commit that the program is built from; empty if the build didn't say.
const char *_Nonnull release_commit(void);

#endif
