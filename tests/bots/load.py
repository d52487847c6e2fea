"""A bot that plays at random and uses a machine in one way: `load.py MODE [NUMBER...]`."""
import ctypes
import json
import mmap
import os
import random
import signal
import socket
import sys
import threading
import time

MODE, NUMBERS = sys.argv[1], [float(number) for number in sys.argv[2:]]
MIB = 1 << 20
chance = random.Random(1)
orphans = []


def compute(seconds):
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass


def burn():
    while True:
        pass


def orphan():
    """Starts a process in its own session, for which nobody waits."""
    read, write = os.pipe()
    if os.fork() == 0:
        if os.fork() == 0:
            os.setsid()
            os.write(write, str(os.getpid()).encode())
            for fd in (0, 1, read, write):
                os.close(fd)
            os.kill(os.getpid(), signal.SIGSTOP)
            burn()
        os._exit(0)
    os.wait()
    orphans.append(int(os.read(read, 20)))
    os.close(read)
    os.close(write)


def send_orphans(number):
    for pid in orphans:
        os.kill(pid, number)


def eat_in_a_thread():
    """Uses memory in a second thread, after the first one has ended."""
    if os.fork() == 0:
        def eat():
            eaten = []
            while True:
                eaten.append(b"x" * (10 * MIB))

        threading.Thread(target=eat).start()
        ctypes.CDLL(None).pthread_exit(0)


def eat_in_many_threads():
    def eat():
        eaten = b"x" * MIB
        time.sleep(1_000)
        return eaten

    while True:
        threading.Thread(target=eat, daemon=True).start()


def eat_by_page_tables():
    """Fills page tables: pages that are only read use no memory, but their tables do."""
    no_reserve = 0x4000
    memory = mmap.mmap(-1, 1 << 40, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | no_reserve, prot=mmap.PROT_READ)
    for at in range(0, 1 << 40, 2 * MIB):
        memory[at]


def fill(folder):
    for number in range(5_000):
        with open(f"{folder}/{number}", "wb") as file:
            file.write(b"x" * MIB)


def fill_without_names():
    kept = []
    while True:
        kept.append(open("nameless", "wb"))
        os.unlink("nameless")
        kept[-1].write(b"x" * (50 * MIB))


def fill_and_go_on():
    try:
        fill(os.environ["TMPDIR"])
    except OSError as error:
        print(error, file=sys.stderr, flush=True)


def spawn(task):
    pid = os.fork()
    if pid == 0:
        task()
        os._exit(0)
    return pid


def stop_a_helper():
    spawn(lambda: os.kill(os.getpid(), signal.SIGSTOP))


def stop_a_traced_helper():
    """Stops a traced child. If tracing is refused, the child is stopped without it."""
    spawn(lambda: (ctypes.CDLL(None).ptrace(0, 0, 0, 0), os.kill(os.getpid(), signal.SIGSTOP)))


def be_stopped():
    """Lets a child stop this process and continue it after some time."""
    me = os.getpid()
    spawn(lambda: (os.kill(me, signal.SIGSTOP), time.sleep(NUMBERS[0]), os.kill(me, signal.SIGCONT)))
    time.sleep(NUMBERS[0])


def forget_children():
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)


def hide(start, at_once=1):
    """Lets children compute, 20 ms each, while another process always waits for the core."""
    waiting = spawn(lambda: (os.nice(19), burn()))
    for _ in range(int(NUMBERS[0] / 0.02 / at_once)):
        read, write = os.pipe()
        os.set_inheritable(write, True)
        for _ in range(at_once):
            start()
        os.close(write)
        # Wait until all have ended.
        os.read(read, 1)
        os.close(read)
    os.kill(waiting, signal.SIGKILL)


def compute_in_a_child():
    spawn(lambda: compute(0.02))


def compute_in_a_grandchild():
    child = spawn(compute_in_a_child)
    try:
        os.waitpid(child, 0)
    except ChildProcessError:
        pass


def compute_in_a_program():
    """Computes in a program that the C library starts like `vfork`."""
    os.posix_spawn("/bin/sh", ["sh", "-c", "i=0; while [ $i -lt 40000 ]; do i=$((i+1)); done"], {})


def adopt():
    become_subreaper = 36
    ctypes.CDLL(None).prctl(become_subreaper, 1, 0, 0, 0)


# Done before the first turn.
AT_START = {
    "burns": lambda: [orphan() for _ in range(int(NUMBERS[0]))],
    "stopped helper": stop_a_helper,
    "traced helper": stop_a_traced_helper,
    "hides children": forget_children,
    "hides programs": forget_children,
    "hides grandchildren": lambda: (forget_children(), adopt()),
}


def hoard(attack):
    """Keeps the result of an attack forever, or continues if the system refuses it."""
    try:
        kept = attack()
    except OSError as error:
        print("REFUSED", error, file=sys.stderr, flush=True)
        return
    time.sleep(1_000)
    return kept


def hoard_pages(drop):
    """Fills shared pages, which stay in memory even if no process maps them any more."""
    memory = mmap.mmap(-1, 400 * MIB)
    for begin in range(0, len(memory), 16 * MIB):
        for at in range(begin, begin + 16 * MIB, mmap.PAGESIZE):
            memory[at] = 1
        if drop:
            memory.madvise(mmap.MADV_DONTNEED, begin, 16 * MIB)
    return memory


def hoard_sockets():
    pairs = []
    try:
        while True:
            pairs.append(socket.socketpair())
            for one in pairs[-1]:
                one.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, MIB)
                one.setblocking(False)
                try:
                    while True:
                        one.send(b"x" * 4_096)
                except BlockingIOError:
                    pass
    except OSError as error:
        print("AT MOST", len(pairs), error, file=sys.stderr, flush=True)
    return pairs


def hoard_mappings():
    """Starts ten processes in which every second page has other rights than its neighbours."""
    libc = ctypes.CDLL(None)
    libc.mmap.restype = ctypes.c_void_p
    for _ in range(10):
        if os.fork() == 0:
            start = libc.mmap(None, ctypes.c_size_t(mmap.PAGESIZE * 64_000), 0, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, -1, ctypes.c_long(0))
            for page in range(0, 64_000, 2):
                libc.mprotect(ctypes.c_void_p(start + page * mmap.PAGESIZE), ctypes.c_size_t(mmap.PAGESIZE), mmap.PROT_READ)
            time.sleep(1_000)


def hoard_ended_processes():
    for _ in range(40):
        if os.fork() == 0:
            os._exit(0)


def hoard_mapped_files():
    """Maps files that have no name and that no process has open."""
    kept = []
    for _ in range(4):
        with open("mapped", "w+b") as file:
            os.unlink("mapped")
            file.write(b"x" * (50 * MIB))
            file.flush()
            kept.append(mmap.mmap(file.fileno(), mmap.PAGESIZE))
    return kept


def hoard_files():
    try:
        for number in range(20_000):
            os.mkdir(f"{os.environ['TMPDIR']}/{number}")
    except OSError as error:
        print(error, file=sys.stderr, flush=True)


def write_and_remove():
    with open(f"{os.environ['TMPDIR']}/own", "wb") as file:
        file.write(b"x" * 4_096)
    os.unlink(file.name)


# Done before an answer.
BEFORE = {
    "writes": write_and_remove,
    "computes": lambda: compute(chance.uniform(*NUMBERS) / 1_000),
    "sleeps": lambda: time.sleep(chance.uniform(*NUMBERS) / 1_000),
    "stretches": lambda: ([orphan() for _ in range(int(NUMBERS[0]))], send_orphans(signal.SIGCONT), time.sleep(NUMBERS[1])),
    "burns": lambda: send_orphans(signal.SIGSTOP),
    "stopped helper": lambda: time.sleep(NUMBERS[0]),
    "traced helper": lambda: time.sleep(NUMBERS[0]),
    "stopped by a child": be_stopped,
    "hides children": lambda: hide(compute_in_a_child, 4),
    "hides programs": lambda: hide(compute_in_a_program),
    "hides grandchildren": lambda: hide(compute_in_a_grandchild),
    "leaves grandchildren": lambda: hide(compute_in_a_grandchild),
    "eats in a thread": lambda: (eat_in_a_thread(), time.sleep(1_000)),
    "eats in many threads": eat_in_many_threads,
    "eats by page tables": lambda: (eat_by_page_tables(), time.sleep(1_000)),
    "fills shared memory": lambda: (fill("/dev/shm"), time.sleep(1_000)),
    "fills its folder": lambda: (fill("."), time.sleep(1_000)),
    "fills without names": fill_without_names,
    "fills and goes on": fill_and_go_on,
    "hoards shared pages": lambda: hoard(lambda: hoard_pages(False)),
    "hoards dropped pages": lambda: hoard(lambda: hoard_pages(True)),
    "hoards sockets": lambda: hoard(hoard_sockets),
    "hoards mappings": lambda: hoard(hoard_mappings),
    "hoards ended processes": lambda: hoard(hoard_ended_processes),
    "hoards mapped files": lambda: hoard(hoard_mapped_files),
    "hoards files": lambda: hoard(hoard_files),
}
# Done after an answer.
AFTER = {
    "burns": lambda: send_orphans(signal.SIGCONT),
}


def choose(legal):
    return [choose(values) for values in legal] if isinstance(legal[0], list) else chance.choice(legal)


for line in sys.stdin:
    (kind, body), = json.loads(line).items()
    if kind == "hello":
        AT_START.get(MODE, lambda: None)()
        print('{"ready":{}}', flush=True)
    elif kind == "turn":
        BEFORE.get(MODE, lambda: None)()
        (name, values), = chance.choice(body["prompt"]).items()
        action = {name: {key: choose(legal) for key, legal in values.items()}}
        print(json.dumps({"id": body["id"], "action": action}), flush=True)
        AFTER.get(MODE, lambda: None)()
