#include <linux/filter.h>
#include <sys/socket.h>

#include "CLinux.h"

int clinux_refuse_connections(int fd) {
    // A socket's filter sees TCP segments from their header on. Byte 13 holds the flags: a first
    // segment has SYN (2) set and ACK (16) clear.
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_B | BPF_ABS, 13),
        BPF_STMT(BPF_ALU | BPF_AND | BPF_K, 0x12),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0x02, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, 0),
        BPF_STMT(BPF_RET | BPF_K, 0x7fffffff),
    };
    struct sock_fprog program = {.len = sizeof code / sizeof code[0], .filter = code};
    return setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof program);
}
