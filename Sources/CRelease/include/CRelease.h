// What the build knows about the release. A file of C, since a macro of C can have a value.
#ifndef CRELEASE_H
#define CRELEASE_H

// The commit that the program is built from; empty if the build didn't say.
const char *_Nonnull release_commit(void);

#endif
