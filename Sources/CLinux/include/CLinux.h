// Linux system calls that Glibc's Swift module leaves out, and wrappers for macros.
#ifndef CLINUX_H
#define CLINUX_H

#include <malloc.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/un.h>

// epoll_event is packed with a union that Swift imports awkwardly; the token is all we use.
static inline int clinux_epoll_ctl(int epoll, int operation, int fd, uint32_t events,
                                   uint64_t token) {
    struct epoll_event event = {.events = events, .data = {.u64 = token}};
    return epoll_ctl(epoll, operation, fd, &event);
}

static inline uint64_t clinux_event_token(struct epoll_event event) { return event.data.u64; }

static inline uint32_t clinux_event_bits(struct epoll_event event) { return event.events; }

static const uint32_t clinux_epollin = EPOLLIN;
static const uint32_t clinux_epollout = EPOLLOUT;
static const uint32_t clinux_epollerr = EPOLLERR;
static const uint32_t clinux_epollhup = EPOLLHUP;
static const uint32_t clinux_epollrdhup = EPOLLRDHUP;
static const uint32_t clinux_epollet = (uint32_t)EPOLLET;
static const uint32_t clinux_epollexclusive = EPOLLEXCLUSIVE;

// accept4 hides behind _GNU_SOURCE, which a module map cannot set for its importer. The peer's
// family is AF_UNSPEC if the kernel did not return its address.
int clinux_accept4(int fd, struct sockaddr_storage *peer, socklen_t *length);

// Makes a listening TCP socket ignore attempts to open a connection. Handshakes in progress still
// complete. 0, or -1 with errno.
int clinux_refuse_connections(int fd);

// How many processors the calling thread may run on, sched_getaffinity(2). -1 if that is unknown.
int clinux_usable_processors(void);

#endif
