"""Runs one JVM and ends it when its own standard input ends: so no JVM outlives the test run, however that ends.

Started by node.py as `python supervise.py GRACE_SECONDS java ...`. Prints the JVM's process id, then nothing more.
"""

from __future__ import annotations

import subprocess
import sys
import threading


def main() -> int:
    grace = float(sys.argv[1])
    # The JVM writes everything to the log, which is our standard error.
    jvm = subprocess.Popen(sys.argv[2:], stdin=subprocess.DEVNULL, stdout=sys.stderr)
    print(jvm.pid, flush=True)
    threading.Thread(target=end_with_input, args=(jvm, grace), daemon=True).start()
    return jvm.wait()


def end_with_input(jvm: subprocess.Popen[bytes], grace: float) -> None:
    sys.stdin.buffer.read()
    jvm.terminate()
    try:
        jvm.wait(grace)
    except subprocess.TimeoutExpired:
        jvm.kill()


if __name__ == "__main__":
    sys.exit(main())
