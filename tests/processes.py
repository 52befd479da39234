"""Processes of their own that have loaded s2fs already: each is forked from one that has."""

import multiprocessing
import os
import signal
from contextlib import contextmanager

SERVER = multiprocessing.get_context("forkserver")
SERVER.set_forkserver_preload(["s2fs_bench", "s2fs.cli", "tqdm.auto"])


@contextmanager
def started(function, *arguments, folder=".", stdout=os.devnull, stderr=os.devnull, **environment):
    """Call a function of a module in a process of its own, which is killed at the latest here.

    Its folder, and the files its output goes to, are given by their names.
    """
    process = SERVER.Process(
        target=_call, args=(function, arguments, str(folder), (stdout, stderr), environment)
    )
    process.start()
    try:
        yield process
    finally:
        process.kill()
        process.join()


def s2fs(*command):
    """The command line, as a shell would start it."""
    from s2fs.__main__ import main

    # Ctrl-C is ignored in whatever a shell has started in the background.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    main(command, prog_name="s2fs")


def _call(function, arguments, folder, streams, environment):
    os.environ.update(environment)
    os.chdir(folder)
    for number, path in enumerate(streams, start=1):
        opened = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_NOCTTY)
        os.dup2(opened, number)
        os.close(opened)
    function(*arguments)
