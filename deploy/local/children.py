"""One program of several that make up the site: started, listened to, and stopped."""

import collections
import os
import shutil
import signal
import subprocess
import threading
from collections.abc import Iterable
from pathlib import Path


class Child:
    """A running program whose lines go to a file, and to the terminal where they are wanted."""

    def __init__(
        self, name: str, command: list[str], *, environment: dict[str, str], log: Path, shown: bool
    ) -> None:
        self.name = name
        self._tail: collections.deque[str] = collections.deque(maxlen=25)
        # A session of its own, so that Ctrl-C reaches the supervisor alone, which stops the rest in
        # order. If the supervisor is killed, the kernel asks the child to end.
        keeper = ["setpriv", "--pdeathsig", "TERM"] if shutil.which("setpriv") else []
        self.process = subprocess.Popen(
            [*keeper, *command],
            env={**os.environ, **environment},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            text=True,
            errors="backslashreplace",
        )
        self._listener = threading.Thread(
            target=self._listen, args=(self.process.stdout or (), log), daemon=True
        )
        self._shown = shown
        self._listener.start()

    def _listen(self, lines: Iterable[str], log: Path) -> None:
        with log.open("a", buffering=1) as file:
            for line in lines:
                file.write(line)
                self._tail.append(line)
                if self._shown and line.strip():
                    print(f"{self.name:>6} | {line}", end="", flush=True)

    @property
    def has_ended(self) -> bool:
        """Whether the program is gone."""
        return self.process.poll() is not None

    def how_it_ended(self) -> str:
        """Its exit code or signal, and the last lines that it wrote."""
        self._listener.join(timeout=1)
        code = self.process.returncode
        how = f"exit code {code}" if code >= 0 else f"signal {signal.Signals(-code).name}"
        lines = "".join(f"    {line}" for line in self._tail) or "    (it wrote nothing)\n"
        return f"{self.name} ended with {how}. Its last lines:\n{lines}"

    def stop(self, *, patience_seconds: float) -> bool:
        """Ask it to end, and make it when it does not. Whether it ended by itself."""
        if self.has_ended:
            return True
        self.process.terminate()
        try:
            self.process.wait(timeout=patience_seconds)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
            return False
        finally:
            self._listener.join(timeout=1)
        return True
