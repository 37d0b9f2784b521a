/* A layer between a process and the C library that makes the n-th call of some kinds go wrong.
 *
 * LD_PRELOAD loads it; FAULTS_STATE names a file of one `struct state`, which all processes map that inherit the two.
 * `faults.py` beside it writes there what is to happen, and reads there what did. Until then nothing happens.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

enum { WRITE = 1, SYNC = 2, RENAME = 4, CREATE = 8, OPEN = 16, TRUNCATE = 32, MAP = 64, MKDIR = 128, REMOVE = 256,
       LINK = 512, READ = 1024 };
enum { SHORT = -1, KILL = -2, STOP = -3, CLOCK = -4, LIST = -5 };

struct state {
    int32_t armed;    /* else calls pass, and are not counted */
    int32_t kinds;    /* which calls count */
    int64_t nth;      /* the call that goes wrong, from 1 on */
    int32_t error;    /* an errno, or what else is to happen */
    int32_t lasting;  /* so do all later ones */
    int64_t counted;
    int64_t fired;    /* nanoseconds of the monotonic clock when it went wrong; 0: not yet */
    int64_t clock;    /* seconds that CLOCK moves the clock of the day by */
    char folder[1024]; /* only what is in here counts; empty: everything */
    char what[1024];  /* the call that went wrong */
};
static struct state *shared;
static int list = -1; /* where LIST writes a line for each call: kind, name, file */

__attribute__((constructor)) static void begin(void) {
    const char *name = getenv("FAULTS_STATE");
    if (!name) return;
    int file = syscall(SYS_openat, AT_FDCWD, name, O_RDWR | O_CLOEXEC);
    if (file < 0) return;
    void *at = (void *)syscall(SYS_mmap, NULL, sizeof(struct state), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    syscall(SYS_close, file);
    if (at != MAP_FAILED) shared = at;
    char beside[PATH_MAX];
    snprintf(beside, sizeof beside, "%s.list", name);
    list = syscall(SYS_openat, AT_FDCWD, beside, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
}

static int inside(const char *path) {
    size_t length = strlen(shared->folder);
    return !length || (!strncmp(path, shared->folder, length) && (path[length] == '/' || !path[length]));
}

/* The absolute name of a file that a call names, or has open where `path` is NULL. */
static void find(char *found, int folder, const char *path) {
    char proc[64];
    ssize_t length = 0;
    if (path && path[0] == '/') { snprintf(found, PATH_MAX, "%s", path); return; }
    if (path && folder == AT_FDCWD) snprintf(proc, sizeof proc, "/proc/self/cwd");
    else snprintf(proc, sizeof proc, "/proc/self/fd/%d", folder);
    length = syscall(SYS_readlink, proc, found, PATH_MAX - 1);
    found[length > 0 ? length : 0] = 0;
    if (path) snprintf(found + strlen(found), PATH_MAX - strlen(found), "/%s", path);
}

/* What is to happen to this call: nothing (0), an error, or SHORT. */
static int fault(int kind, const char *name, int folder, const char *path) {
    if (!shared || !shared->armed || !(shared->kinds & kind)) return 0;
    int before = errno;
    char found[2 * PATH_MAX];
    find(found, folder, path);
    if (!inside(found)) { errno = before; return 0; }
    int64_t number = __atomic_add_fetch(&shared->counted, 1, __ATOMIC_SEQ_CST);
    if (shared->error == LIST) {
        char line[2 * PATH_MAX + 64];
        int length = snprintf(line, sizeof line, "%d %s %s\n", kind, name, found);
        syscall(SYS_write, list, line, length);
    }
    errno = before;
    if (number < shared->nth || (number > shared->nth && !shared->lasting)) return 0;
    if (number == shared->nth) {
        struct timespec now;
        syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
        snprintf(shared->what, sizeof shared->what, "%s %.990s", name, found);
        shared->fired = now.tv_sec * 1000000000LL + now.tv_nsec;
        if (shared->error == KILL || shared->error == STOP) syscall(SYS_kill, getpid(), shared->error == KILL ? SIGKILL : SIGSTOP);
    }
    return shared->error > 0 || shared->error == SHORT ? shared->error : 0;
}

#define REAL(type, name, ...) \
    static type (*real)(__VA_ARGS__); \
    if (!real) real = dlsym(RTLD_NEXT, #name)
#define FAIL(kind, folder, path) \
    int wrong = fault(kind, __func__, folder, path); \
    if (wrong > 0) { errno = wrong; return -1; }

ssize_t write(int file, const void *bytes, size_t size) {
    REAL(ssize_t, write, int, const void *, size_t);
    FAIL(WRITE, file, NULL)
    return real(file, bytes, wrong == SHORT ? (size + 1) / 2 : size);
}

ssize_t pwrite64(int file, const void *bytes, size_t size, off64_t at) {
    REAL(ssize_t, pwrite64, int, const void *, size_t, off64_t);
    FAIL(WRITE, file, NULL)
    return real(file, bytes, wrong == SHORT ? (size + 1) / 2 : size, at);
}

ssize_t pwrite(int file, const void *bytes, size_t size, off_t at) { return pwrite64(file, bytes, size, at); }

ssize_t writev(int file, const struct iovec *parts, int count) {
    REAL(ssize_t, writev, int, const struct iovec *, int);
    FAIL(WRITE, file, NULL)
    return real(file, parts, wrong == SHORT ? 1 : count);
}

ssize_t sendfile64(int to, int from, off64_t *at, size_t size) {
    REAL(ssize_t, sendfile64, int, int, off64_t *, size_t);
    FAIL(WRITE, to, NULL)
    return real(to, from, at, wrong == SHORT ? (size + 1) / 2 : size);
}

ssize_t copy_file_range(int from, off64_t *at, int to, off64_t *there, size_t size, unsigned flags) {
    REAL(ssize_t, copy_file_range, int, off64_t *, int, off64_t *, size_t, unsigned);
    FAIL(WRITE, to, NULL)
    return real(from, at, to, there, wrong == SHORT ? (size + 1) / 2 : size, flags);
}

ssize_t read(int file, void *bytes, size_t size) {
    REAL(ssize_t, read, int, void *, size_t);
    FAIL(READ, file, NULL)
    return real(file, bytes, wrong == SHORT ? (size + 1) / 2 : size);
}

ssize_t pread64(int file, void *bytes, size_t size, off64_t at) {
    REAL(ssize_t, pread64, int, void *, size_t, off64_t);
    FAIL(READ, file, NULL)
    return real(file, bytes, wrong == SHORT ? (size + 1) / 2 : size, at);
}

ssize_t pread(int file, void *bytes, size_t size, off_t at) { return pread64(file, bytes, size, at); }

#define OF_FILE(kind, name) \
    int name(int file) { \
        REAL(int, name, int); \
        FAIL(kind, file, NULL) \
        return real(file); \
    }
OF_FILE(SYNC, fsync)
OF_FILE(SYNC, fdatasync)

int ftruncate64(int file, off64_t size) {
    REAL(int, ftruncate64, int, off64_t);
    FAIL(TRUNCATE, file, NULL)
    return real(file, size);
}
int ftruncate(int file, off_t size) { return ftruncate64(file, size); }

void *mmap64(void *at, size_t size, int may, int flags, int file, off64_t from) {
    REAL(void *, mmap64, void *, size_t, int, int, int, off64_t);
    if (!(flags & MAP_ANONYMOUS)) {
        int wrong = fault(MAP, "mmap", file, NULL);
        if (wrong > 0) { errno = wrong; return MAP_FAILED; }
    }
    return real(at, size, may, flags, file, from);
}
void *mmap(void *at, size_t size, int may, int flags, int file, off_t from) {
    return mmap64(at, size, may, flags, file, from);
}

#define OPENS(flags) (((flags) & (O_WRONLY | O_RDWR | O_CREAT | O_TRUNC)) ? CREATE : OPEN)
#define MODE() \
    va_list more; \
    va_start(more, flags); \
    mode_t mode = (flags & (O_CREAT | __O_TMPFILE)) ? va_arg(more, mode_t) : 0; \
    va_end(more)

int open64(const char *path, int flags, ...) {
    REAL(int, open64, const char *, int, ...);
    MODE();
    FAIL(OPENS(flags), AT_FDCWD, path)
    return real(path, flags, mode);
}
int open(const char *path, int flags, ...) {
    MODE();
    return open64(path, flags, mode);
}
int openat64(int folder, const char *path, int flags, ...) {
    REAL(int, openat64, int, const char *, int, ...);
    MODE();
    FAIL(OPENS(flags), folder, path)
    return real(folder, path, flags, mode);
}
int openat(int folder, const char *path, int flags, ...) {
    MODE();
    return openat64(folder, path, flags, mode);
}
int creat64(const char *path, mode_t mode) { return open64(path, O_CREAT | O_WRONLY | O_TRUNC, mode); }
int creat(const char *path, mode_t mode) { return creat64(path, mode); }

int mkdirat(int folder, const char *path, mode_t mode) {
    REAL(int, mkdirat, int, const char *, mode_t);
    FAIL(MKDIR, folder, path)
    return real(folder, path, mode);
}
int mkdir(const char *path, mode_t mode) { return mkdirat(AT_FDCWD, path, mode); }

int unlinkat(int folder, const char *path, int flags) {
    REAL(int, unlinkat, int, const char *, int);
    FAIL(REMOVE, folder, path)
    return real(folder, path, flags);
}
int unlink(const char *path) { return unlinkat(AT_FDCWD, path, 0); }
int rmdir(const char *path) { return unlinkat(AT_FDCWD, path, AT_REMOVEDIR); }

int renameat2(int from, const char *old, int to, const char *path, unsigned flags) {
    REAL(int, renameat2, int, const char *, int, const char *, unsigned);
    FAIL(RENAME, to, path)
    return real(from, old, to, path, flags);
}
int renameat(int from, const char *old, int to, const char *path) { return renameat2(from, old, to, path, 0); }
int rename(const char *old, const char *path) { return renameat2(AT_FDCWD, old, AT_FDCWD, path, 0); }

int linkat(int from, const char *old, int to, const char *path, int flags) {
    REAL(int, linkat, int, const char *, int, const char *, int);
    FAIL(LINK, to, path)
    return real(from, old, to, path, flags);
}
int link(const char *old, const char *path) { return linkat(AT_FDCWD, old, AT_FDCWD, path, 0); }

int symlinkat(const char *old, int folder, const char *path) {
    REAL(int, symlinkat, const char *, int, const char *);
    FAIL(LINK, folder, path)
    return real(old, folder, path);
}
int symlink(const char *old, const char *path) { return symlinkat(old, AT_FDCWD, path); }

int clock_gettime(clockid_t clock, struct timespec *now) {
    int done = syscall(SYS_clock_gettime, clock, now);
    if (!done && clock == CLOCK_REALTIME && shared && shared->error == CLOCK && shared->fired) now->tv_sec += shared->clock;
    return done;
}
