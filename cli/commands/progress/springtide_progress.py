"""Tells Springtide how far a job has come, and what it can go on from. Standard library only; Python 3.8 or later.

    from springtide_progress import Progress

    progress = Progress(on_stop=save)          # save() is called when the job is about to be stopped
    start = progress.resume()                  # None, or {"uri", "step", "bytes", "sha256"}
    for step in range(start["step"] if start else 0, steps):
        loss = train(step)
        progress.report(step + 1, loss)        # cheap: at most one report in ten seconds is sent
        if (step + 1) % 1000 == 0:
            path = save()                      # to a new name, or renamed when it is whole
            progress.checkpoint(path)
    progress.done()

Where SPRINGTIDE_PROGRESS_URL is not set nothing is sent, and everything else works as it does in a cluster.
"""
import contextlib
import hashlib
import json
import math
import os
import signal
import ssl
import sys
import threading
import time
import urllib.error
import urllib.request

EVERY_S = 10.0
TIMEOUT_S = 10.0
TOKEN_FILE = "/var/run/secrets/springtide.io/token"


class Fenced(RuntimeError):
    """A later incarnation of this job lives: stop at once, and write no checkpoint any more."""


class Refused(RuntimeError):
    """Springtide does not take what was sent; the message says why, and what would change it."""


class Progress:
    def __init__(self, on_stop=None, every_s=EVERY_S):
        """on_stop: called without arguments from report() when the job is about to be stopped, to save it."""
        self._url = os.environ.get("SPRINGTIDE_PROGRESS_URL", "")
        self._token_file = os.environ.get("SPRINGTIDE_TOKEN_FILE", TOKEN_FILE)
        authority = os.environ.get("SPRINGTIDE_CA_FILE")
        self._tls = ssl.create_default_context(cafile=authority) if self._url.startswith("https:") else None
        self._job = os.environ.get("SPRINGTIDE_JOB", "")
        self._incarnation = int(os.environ.get("SPRINGTIDE_INCARNATION") or 1)
        self._on_stop = on_stop
        self._every_s = every_s
        self._step, self._loss, self._phase = 0, None, "start"
        self._sent_step, self._sent_step_at = 0, 0.0
        self._stop_wanted = self._stop_done = self._is_fenced = self._is_terminated = False
        self._wake = threading.Condition()
        self._is_over = False
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGTERM, self._terminated)
        if self._url:
            threading.Thread(target=self._beat, daemon=True, name="springtide-progress").start()

    def report(self, step, loss=None):
        """After each step. Calls on_stop, once, when the job is about to be stopped; exits then if it was told to."""
        with self._wake:
            self._step, self._loss = int(step), _finite(loss)
            if self._phase == "start":
                self._phase = "train"
            if time.monotonic() >= self._sent_step_at + self._every_s:
                self._wake.notify()
        self._obey()

    @contextlib.contextmanager
    def phase(self, name):
        """`with progress.phase("evaluate"):` (or "save"): no steps are expected meanwhile."""
        former, self._phase = ("train" if self._phase == "start" else self._phase), name
        self._send_quietly()
        try:
            yield
        finally:
            self._phase = former
            self._send_quietly()

    def checkpoint(self, uri, size=None, sha256=""):
        """After a checkpoint is whole and will not change. Of a local path size and digest are found out here.

        Returns when it is kept; raises Refused where it is not taken, after a minute without an answer too.
        """
        path = _local(uri)
        if size is None:
            if path is None:
                raise ValueError("size: needed for a checkpoint that is no local path")
            size, sha256 = _measure(path)
        self._insist({"state": "complete", "uri": uri, "bytes": size, "sha256": sha256})

    def resume(self):
        """What to go on from: the newest checkpoint that is whole; None: from the beginning.

        Local paths are looked at. For others compare `bytes` and `sha256`, and call reject() if they differ.
        """
        start = self._insist(None)
        while start is not None:
            path = _local(start["uri"])
            fault = None if path is None else _fault(path, start)
            if fault is None:
                return start
            start = self.reject(start["uri"], fault)
        return None

    def reject(self, uri, state="torn"):
        """This checkpoint is "torn" or "missing". Returns the one before it, or None."""
        return self._insist({"state": state, "uri": uri})

    def done(self):
        """The job has done all it had to do."""
        self._phase = "done"
        with contextlib.suppress(Refused):
            self._insist(None)
        self.close()

    def close(self):
        with self._wake:
            self._is_over = True
            self._wake.notify()

    def _terminated(self, _number, _frame):
        self._stop_wanted = self._is_terminated = True
        if self._on_stop is None:
            sys.exit(128 + signal.SIGTERM)

    def _obey(self):
        if self._is_fenced:
            raise Fenced("a later incarnation of this job lives")
        if self._stop_wanted and not self._stop_done:
            self._stop_done = True
            if self._on_stop is not None:
                self._on_stop()
        if self._is_terminated:
            sys.exit(128 + signal.SIGTERM)

    def _beat(self):
        while not self._is_over:
            with self._wake:
                self._wake.wait(self._every_s)
            if not self._is_over:
                self._send_quietly()

    def _send_quietly(self):
        """A heartbeat that is lost is followed by the next one."""
        try:
            self._send(None)
        except (OSError, Refused, Fenced):
            pass

    def _insist(self, news):
        """Sends until it is taken, for a minute at most. Returns what to go on from."""
        if not self._url:
            return None
        until, wait_s = time.monotonic() + 60, 0.5
        while True:
            try:
                return self._send(news)
            except OSError as why:
                if time.monotonic() + wait_s > until:
                    raise Refused(f"no answer from {self._url}: {why}") from why
            time.sleep(wait_s)
            wait_s = min(2 * wait_s, 8)

    def _send(self, news):
        if not self._url:
            return None
        step = self._step
        message = {"job": self._job, "incarnation": self._incarnation, "step": step, "loss": self._loss}
        body = json.dumps({**message, "phase": self._phase, "checkpoint": news}).encode()
        with open(self._token_file, encoding="ascii") as file:
            token = file.read().strip()
        headers = {"Authorization": "Bearer " + token, "Content-Type": "application/json"}
        request = urllib.request.Request(self._url, body, headers)
        try:
            with urllib.request.urlopen(request, timeout=TIMEOUT_S, context=self._tls) as response:
                answer = json.load(response)
        except urllib.error.HTTPError as error:
            return self._refused(error)
        if step > self._sent_step:
            self._sent_step, self._sent_step_at = step, time.monotonic()
        if answer["checkpointWithinMs"] is not None:
            self._stop_wanted = True
        return answer["from"]

    def _refused(self, error):
        text = error.read().decode(errors="replace")
        # 429 and 503 pass: as if there had been no answer.
        if error.code in (429, 503):
            raise OSError(text)
        if error.code == 409:
            self._is_fenced = True
            raise Fenced(text)
        raise Refused(text)


def _finite(loss):
    return float(loss) if loss is not None and math.isfinite(loss) else None


def _local(uri):
    """The path of a file or folder; None: it is elsewhere."""
    if uri.startswith("file://"):
        return uri[len("file://"):]
    return None if "://" in uri else uri


def _measure(path):
    """Size and digest of a file, or of all files of a folder in the order of their names."""
    files = [path]
    if os.path.isdir(path):
        files = sorted(os.path.join(folder, name) for folder, _, names in os.walk(path) for name in names)
    size, digest = 0, hashlib.sha256()
    for name in files:
        digest.update(os.path.relpath(name, path).encode() + b"\0")
        with open(name, "rb") as file:
            for piece in iter(lambda: file.read(1 << 20), b""):
                size += len(piece)
                digest.update(piece)
    return size, digest.hexdigest()


def _fault(path, told):
    if not os.path.exists(path):
        return "missing"
    size, sha256 = _measure(path)
    return None if size == told["bytes"] and told["sha256"] in ("", sha256) else "torn"
