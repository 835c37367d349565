"""Which system calls the sandbox's filters name, and their numbers on each processor.

Numbers are the kernel's own: arch/x86/entry/syscalls/syscall_64.tbl, and
include/uapi/asm-generic/unistd.h for aarch64. They never change once given out.
"""

from typing import Final


def _names(text: str) -> tuple[str, ...]:
    return tuple(text.split())


def _table(text: str) -> dict[str, int]:
    words = text.split()
    return {name: int(number) for name, number in zip(words[::2], words[1::2], strict=True)}


# What reaches beyond a process: other processes, the kernel's modules and clocks, mounts,
# namespaces, keys, sockets, and calls with a long record of kernel faults.
TRACER_MUST_NOT: Final = _names("""
acct add_key adjtimex bpf chroot clock_adjtime clock_settime delete_module fanotify_init
fanotify_mark finit_module fsconfig fsmount fsopen fspick init_module io_uring_enter
io_uring_register io_uring_setup ioperm iopl kcmp kexec_file_load kexec_load keyctl lookup_dcookie
memfd_secret migrate_pages modify_ldt mount mount_setattr move_mount move_pages name_to_handle_at
nfsservctl open_by_handle_at open_tree perf_event_open personality pidfd_getfd pivot_root
process_madvise process_vm_readv process_vm_writev ptrace quotactl quotactl_fd reboot request_key
seccomp setdomainname sethostname setns settimeofday socket swapoff swapon syslog umount2 unshare
userfaultfd vhangup
""")

# Seen with strace in a stage that compiles for both backends and runs on the CPU, with the calls
# that libc makes in their place on other versions. setuid and its kin serve the start as root.
COMPILER_MAY: Final = _names("""
access arch_prctl brk capget capset clock_getres clock_gettime clock_nanosleep close close_range
dup dup2 dup3 epoll_create1 epoll_ctl epoll_pwait epoll_wait eventfd2 execve exit exit_group
faccessat faccessat2 fadvise64 fcntl flock fstat fstatfs fsync ftruncate futex futex_waitv
get_mempolicy get_robust_list getcwd getdents64 getegid geteuid getgid getitimer getpgrp getpid
getppid getrandom getresgid getresuid getrlimit getrusage gettid gettimeofday getuid ioctl kill
lseek lstat madvise mbind membarrier mincore mkdir mkdirat mlock mlock2 mmap mprotect mremap
munlock munmap nanosleep newfstatat open openat openat2 pipe pipe2 poll ppoll prctl pread64 preadv
preadv2 prlimit64 pselect6 pwrite64 pwritev read readlink readlinkat readv rename renameat
renameat2 restart_syscall rmdir rseq rt_sigaction rt_sigpending rt_sigprocmask rt_sigqueueinfo
rt_sigreturn rt_sigsuspend rt_sigtimedwait sched_get_priority_max sched_get_priority_min
sched_getaffinity sched_getattr sched_getparam sched_getscheduler sched_setaffinity sched_yield
select set_robust_list set_tid_address setgid setgroups setitimer setresgid setresuid setrlimit
setuid sigaltstack stat statfs statx symlink symlinkat sysinfo tgkill time timer_create
timer_delete timer_getoverrun timer_gettime timer_settime times umask uname unlink unlinkat
utimensat wait4 waitid write writev
""")

NUMBERS: Final = {
    "x86_64": _table("""
access 21 acct 163 add_key 248 adjtimex 159 arch_prctl 158 bpf 321 brk 12 capget 125 capset 126
chroot 161 clock_adjtime 305 clock_getres 229 clock_gettime 228 clock_nanosleep 230
clock_settime 227 clone 56 clone3 435 close 3 close_range 436 delete_module 176 dup 32 dup2 33
dup3 292 epoll_create1 291 epoll_ctl 233 epoll_pwait 281 epoll_wait 232 eventfd2 290 execve 59
exit 60 exit_group 231 faccessat 269 faccessat2 439 fadvise64 221 fanotify_init 300
fanotify_mark 301 fcntl 72 finit_module 313 flock 73 fsconfig 431 fsmount 432 fsopen 430
fspick 433 fstat 5 fstatfs 138 fsync 74 ftruncate 77 futex 202 futex_waitv 449 get_mempolicy 239
get_robust_list 274 getcwd 79 getdents64 217 getegid 108 geteuid 107 getgid 104 getitimer 36
getpgrp 111 getpid 39 getppid 110 getrandom 318 getresgid 120 getresuid 118 getrlimit 97
getrusage 98 gettid 186 gettimeofday 96 getuid 102 init_module 175 io_uring_enter 426
io_uring_register 427 io_uring_setup 425 ioctl 16 ioperm 173 iopl 172 kcmp 312 kexec_file_load 320
kexec_load 246 keyctl 250 kill 62 lookup_dcookie 212 lseek 8 lstat 6 madvise 28 mbind 237
membarrier 324 memfd_secret 447 migrate_pages 256 mincore 27 mkdir 83 mkdirat 258 mlock 149
mlock2 325 mmap 9 modify_ldt 154 mount 165 mount_setattr 442 move_mount 429 move_pages 279
mprotect 10 mremap 25 munlock 150 munmap 11 name_to_handle_at 303 nanosleep 35 newfstatat 262
nfsservctl 180 open 2 open_by_handle_at 304 open_tree 428 openat 257 openat2 437
perf_event_open 298 personality 135 pidfd_getfd 438 pipe 22 pipe2 293 pivot_root 155 poll 7
ppoll 271 prctl 157 pread64 17 preadv 295 preadv2 327 prlimit64 302 process_madvise 440
process_vm_readv 310 process_vm_writev 311 pselect6 270 ptrace 101 pwrite64 18 pwritev 296
quotactl 179 quotactl_fd 443 read 0 readlink 89 readlinkat 267 readv 19 reboot 169 rename 82
renameat 264 renameat2 316 request_key 249 restart_syscall 219 rmdir 84 rseq 334 rt_sigaction 13
rt_sigpending 127 rt_sigprocmask 14 rt_sigqueueinfo 129 rt_sigreturn 15 rt_sigsuspend 130
rt_sigtimedwait 128 sched_get_priority_max 146 sched_get_priority_min 147 sched_getaffinity 204
sched_getattr 315 sched_getparam 143 sched_getscheduler 145 sched_setaffinity 203 sched_yield 24
seccomp 317 select 23 set_mempolicy_home_node 450 set_robust_list 273 set_tid_address 218
setdomainname 171 setgid 106 setgroups 116 sethostname 170 setitimer 38 setns 308 setresgid 119
setresuid 117 setrlimit 160 settimeofday 164 setuid 105 sigaltstack 131 socket 41 stat 4
statfs 137 statx 332 swapoff 168 swapon 167 symlink 88 symlinkat 266 sysinfo 99 syslog 103
tgkill 234 time 201 timer_create 222 timer_delete 226 timer_getoverrun 225 timer_gettime 224
timer_settime 223 times 100 umask 95 umount2 166 uname 63 unlink 87 unlinkat 263 unshare 272
userfaultfd 323 utimensat 280 vhangup 153 wait4 61 waitid 247 write 1 writev 20
"""),
    "aarch64": _table("""
acct 89 add_key 217 adjtimex 171 bpf 280 brk 214 capget 90 capset 91 chroot 51 clock_adjtime 266
clock_getres 114 clock_gettime 113 clock_nanosleep 115 clock_settime 112 clone 220 clone3 435
close 57 close_range 436 delete_module 106 dup 23 dup3 24 epoll_create1 20 epoll_ctl 21
epoll_pwait 22 eventfd2 19 execve 221 exit 93 exit_group 94 faccessat 48 faccessat2 439
fadvise64 223 fanotify_init 262 fanotify_mark 263 fcntl 25 finit_module 273 flock 32 fsconfig 431
fsmount 432 fsopen 430 fspick 433 fstat 80 fstatfs 44 fsync 82 ftruncate 46 futex 98
futex_waitv 449 get_mempolicy 236 get_robust_list 100 getcwd 17 getdents64 61 getegid 177
geteuid 175 getgid 176 getitimer 102 getpid 172 getppid 173 getrandom 278 getresgid 150
getresuid 148 getrlimit 163 getrusage 165 gettid 178 gettimeofday 169 getuid 174 init_module 105
io_uring_enter 426 io_uring_register 427 io_uring_setup 425 ioctl 29 kcmp 272 kexec_file_load 294
kexec_load 104 keyctl 219 kill 129 lookup_dcookie 18 lseek 62 madvise 233 mbind 235 membarrier 283
memfd_secret 447 migrate_pages 238 mincore 232 mkdirat 34 mlock 228 mlock2 284 mmap 222 mount 40
mount_setattr 442 move_mount 429 move_pages 239 mprotect 226 mremap 216 munlock 229 munmap 215
name_to_handle_at 264 nanosleep 101 newfstatat 79 nfsservctl 42 open_by_handle_at 265
open_tree 428 openat 56 openat2 437 perf_event_open 241 personality 92 pidfd_getfd 438 pipe2 59
pivot_root 41 ppoll 73 prctl 167 pread64 67 preadv 69 preadv2 286 prlimit64 261
process_madvise 440 process_vm_readv 270 process_vm_writev 271 pselect6 72 ptrace 117 pwrite64 68
pwritev 70 quotactl 60 quotactl_fd 443 read 63 readlinkat 78 readv 65 reboot 142 renameat 38
renameat2 276 request_key 218 restart_syscall 128 rseq 293 rt_sigaction 134 rt_sigpending 136
rt_sigprocmask 135 rt_sigqueueinfo 138 rt_sigreturn 139 rt_sigsuspend 133 rt_sigtimedwait 137
sched_get_priority_max 125 sched_get_priority_min 126 sched_getaffinity 123 sched_getattr 275
sched_getparam 121 sched_getscheduler 120 sched_setaffinity 122 sched_yield 124 seccomp 277
set_mempolicy_home_node 450 set_robust_list 99 set_tid_address 96 setdomainname 162 setgid 144
setgroups 159 sethostname 161 setitimer 103 setns 268 setresgid 149 setresuid 147 setrlimit 164
settimeofday 170 setuid 146 sigaltstack 132 socket 198 statfs 43 statx 291 swapoff 225 swapon 224
symlinkat 36 sysinfo 179 syslog 116 tgkill 131 timer_create 107 timer_delete 111
timer_getoverrun 109 timer_gettime 108 timer_settime 110 times 153 umask 166 umount2 39 uname 160
unlinkat 35 unshare 97 userfaultfd 282 utimensat 88 vhangup 58 wait4 260 waitid 95 write 64
writev 66
"""),
}
