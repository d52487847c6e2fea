"""Tries everything in the rows of `arena tools doctor`, and writes to standard error what succeeded."""
import ctypes, errno, fcntl, json, mmap, os, resource, socket, struct, sys

with open("victim.json") as file:
    VICTIM = json.load(file)
PID = VICTIM["pid"]
libc = ctypes.CDLL(None, use_errno=True)
# System call numbers of x86-64, for calls that have no function in the C library.
ADD_KEY, IO_URING_SETUP, PERF_EVENT_OPEN, BPF = 248, 425, 298, 321
NEW_USER, NEW_UTS = 0x10000000, 0x04000000


def called(result):
    if result < 0:
        raise OSError(ctypes.get_errno(), "refused")


def read_files():
    open(VICTIM["secret"]).read()


def write_files():
    open(VICTIM["shared"], "a").write("x")


def rights():
    os.chmod(VICTIM["shared"], 0o666)


def times():
    os.utime(VICTIM["shared"])


def words():
    os.setxattr(VICTIM["shared"], "user.word", b"x")


def own_times():
    os.utime(VICTIM["own"])


def file_names():
    os.stat(VICTIM["secret"])


def locks():
    one, other = open("/etc/passwd"), open("/etc/passwd")
    fcntl.flock(one, fcntl.LOCK_EX | fcntl.LOCK_NB)
    try:
        fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return
    raise OSError("it has no effect")


def locks_of_records():
    # A lock of this process, as seen by its child. 36 and 37 are the requests that query and set a lock of an open file.
    file = open("/etc/passwd")
    for ask, lock in [(fcntl.F_GETLK, fcntl.F_SETLK), (36, 37)]:
        fcntl.fcntl(file, lock, struct.pack("hhqqi4x", fcntl.F_RDLCK, 0, 0, 1, 0))
        other = open("/etc/passwd")
        wanted = struct.pack("hhqqi4x", fcntl.F_WRLCK, 0, 0, 1, 0)
        in_child(lambda: 0 if struct.unpack("hhqqi4x", fcntl.fcntl(other, ask, wanted))[0] == fcntl.F_RDLCK else -1)


def tcp():
    socket.create_connection(("127.0.0.1", VICTIM["tcp"]), timeout=5)


def udp():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as talk:
        talk.settimeout(2)
        talk.sendto(b"x", ("127.0.0.1", VICTIM["udp"]))
        talk.recv(1)


def unix_socket():
    socket.socket(socket.AF_UNIX).connect(VICTIM["socket"])


def abstract_socket():
    socket.socket(socket.AF_UNIX).connect("\0" + VICTIM["abstract"])


def redirected_pair():
    one, _ = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    one.sendto(b"x", VICTIM["datagrams"])


def signals():
    os.kill(PID, 0)


def signals_by_descriptor():
    import signal
    signal.pidfd_send_signal(os.pidfd_open(PID), 0)


def processes():
    open(f"/proc/{PID}/cmdline").read()


def trace(pid=PID):
    called(libc.ptrace(0x4206, pid, 0, 0))


def memory(pid=PID):
    open(f"/proc/{pid}/mem", "rb").close()


def memory_written(pid=PID):
    open(f"/proc/{pid}/mem", "r+b").close()


def memory_copied(pid=PID):
    # Writes to an invalid address: a process that may write gets the error for the address.
    byte = ctypes.create_string_buffer(1)
    own, others = (ctypes.create_string_buffer(struct.pack("QQ", at, 1)) for at in (ctypes.addressof(byte), 0))
    libc.process_vm_writev(pid, own, 1, others, 1, 0)
    if ctypes.get_errno() != errno.EFAULT:
        raise OSError(ctypes.get_errno(), "refused")


def descriptor(pid=PID):
    # 438 is the number of `pidfd_getfd`.
    called(libc.syscall(438, os.pidfd_open(pid), 0, 0))


def of_first(attack):
    # The first process is that of the machine, or of the bot's own namespace.
    def attack_of_first():
        attack(1)
    attack_of_first.__name__ = f"{attack.__name__}_of_first"
    return attack_of_first


def limits():
    resource.prlimit(PID, resource.RLIMIT_CORE)


def priority():
    os.setpriority(os.PRIO_PROCESS, PID, os.getpriority(os.PRIO_PROCESS, PID))


def cores():
    os.sched_setaffinity(PID, os.sched_getaffinity(PID))


def own_cores():
    os.sched_setaffinity(0, range(os.cpu_count()))


def keyrings():
    called(libc.syscall(ADD_KEY, b"user", b"word", b"x", ctypes.c_size_t(1), -4))


def memory_segment():
    segment = libc.shmget(0, 4096, 0o1600)
    called(segment)
    libc.shmctl(segment, 0, None)


def semaphores():
    semaphores = libc.semget(0, 1, 0o1600)
    called(semaphores)
    libc.semctl(semaphores, 0, 0)


def message_queue():
    queue = libc.msgget(0, 0o1600)
    called(queue)
    libc.msgctl(queue, 0, None)


def posix_queue():
    called(libc.mq_open(b"/arena-attack", os.O_CREAT | os.O_RDWR, 0o600, None))
    libc.mq_unlink(b"/arena-attack")


def hidden_memory():
    os.close(os.memfd_create("x"))


def in_child(attack):
    child = os.fork()
    if child == 0:
        os._exit(0 if attack() >= 0 else 1)
    if os.waitpid(child, 0)[1]:
        raise OSError(errno.EPERM, "refused")


def namespaces():
    in_child(lambda: libc.unshare(NEW_USER))


def namespaces_by_clone():
    # 17 is the signal sent at the end, and 56 is the number of `clone`.
    def clone():
        made = libc.syscall(56, NEW_USER | NEW_UTS | 17, None, None, None, None)
        if made == 0:
            os._exit(0)
        return made
    in_child(clone)


def kernel_settings():
    setting = "/proc/sys/vm/swappiness"
    value = open(setting).read()
    open(setting, "w").write(value)


def io_uring():
    called(libc.syscall(IO_URING_SETUP, 1, ctypes.create_string_buffer(120)))


def perf():
    event = ctypes.create_string_buffer(b"\1\0\0\0\x40\0\0\0\x09" + bytes(119), 128)
    called(libc.syscall(PERF_EVENT_OPEN, event, 0, -1, -1, 0))


def bpf():
    array = ctypes.create_string_buffer((2).to_bytes(4, "little") + (4).to_bytes(4, "little") * 2 + (1).to_bytes(4, "little"), 128)
    called(libc.syscall(BPF, 0, array, 128))


def aio():
    # 206 is the number of `io_setup`.
    called(libc.syscall(206, 1, ctypes.byref(ctypes.c_ulong(0))))


def filters():
    # A single instruction, which allows everything. 38 forbids new rights, which the kernel requires first.
    allow = ctypes.create_string_buffer(b"\6\0\0\0" + (0x7FFF0000).to_bytes(4, "little"), 8)
    program = ctypes.create_string_buffer((1).to_bytes(8, "little") + ctypes.addressof(allow).to_bytes(8, "little"), 16)
    libc.prctl(38, 1, 0, 0, 0)
    by_call = lambda: libc.syscall(317, 1, 0, program)
    by_prctl = lambda: libc.prctl(22, 2, program, 0, 0)
    in_child(lambda: max(by_call(), by_prctl()))


def calls_of_32_bits():
    # mov eax, 20; int 0x80; ret: returns the id of this process through the older interface.
    code = mmap.mmap(-1, 4096, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    code.write(b"\xb8\x14\0\0\0\xcd\x80\xc3")
    function = ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(code)))
    in_child(lambda: 0 if function() == os.getpid() else -1)


def terminal():
    # A pipe is not a terminal, but the error for that shows that the call was not filtered.
    reading, _ = os.pipe()
    try:
        fcntl.ioctl(reading, 0x5412, b"x")
    except OSError as error:
        if error.errno != errno.ENOTTY:
            raise


MEMORY = [trace, memory, memory_written, memory_copied, descriptor]
ATTACKS = {
    "read_files": [read_files],
    "write_files": [write_files],
    "file_attributes": [rights, times, words, own_times],
    "file_names": [file_names],
    "locks": [locks, locks_of_records],
    "tcp": [tcp],
    "udp": [udp],
    "unix_sockets": [unix_socket, abstract_socket, redirected_pair],
    "signals": [signals, signals_by_descriptor],
    "processes": [processes],
    "process_memory": MEMORY + [of_first(attack) for attack in MEMORY],
    "process_limits": [limits, priority, cores],
    "own_cores": [own_cores],
    "keyrings": [keyrings],
    "queues": [memory_segment, semaphores, message_queue, posix_queue],
    "hidden_memory": [hidden_memory],
    "namespaces": [namespaces, namespaces_by_clone],
    "kernel_settings": [kernel_settings],
    "kernel_interfaces": [io_uring, aio, perf, bpf, filters, calls_of_32_bits],
    "terminal": [terminal],
}


def succeeds(attack):
    try:
        attack()
        return True
    except Exception:
        return False


could = {name: [way.__name__ for way in ways if succeeds(way)] for name, ways in ATTACKS.items()}
print("COULD " + json.dumps(could), file=sys.stderr)
