"""Runs tasks of a process each on one Dask worker with two threads, and prints the milliseconds of a task.

Exits with 69 if Dask is not installed: pip install distributed.
"""

import subprocess
import sys
import time

try:
    from distributed import Client, LocalCluster
except ImportError:
    sys.exit(69)


def task(number):
    return subprocess.run(["true"]).returncode


if __name__ == "__main__":
    count = int(sys.argv[1])
    with LocalCluster(n_workers=1, threads_per_worker=2, dashboard_address=None) as cluster:
        with Client(cluster) as client:
            begin = time.monotonic()
            client.gather(client.map(task, range(count), pure=False))
            print((time.monotonic() - begin) * 1000 / count)
