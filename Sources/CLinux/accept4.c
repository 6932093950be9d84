#define _GNU_SOURCE
#include <string.h>
#include <sys/socket.h>

#include "CLinux.h"

int clinux_accept4(int fd, struct sockaddr_storage *peer, socklen_t *length) {
    memset(peer, 0, sizeof(sa_family_t));
    *length = sizeof *peer;
    return accept4(fd, (struct sockaddr *)peer, length, SOCK_NONBLOCK | SOCK_CLOEXEC);
}
