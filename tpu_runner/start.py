"""A stage's process starts here: `python -I -B -s start.py trace|compile|answer …`.

Isolated mode puts nothing of ours on the module search path, so this file makes the package known
by its own directory: nothing that lies beside the package can be imported.
"""

import argparse
import contextlib
import importlib.util
import os
import resource
import sys
from pathlib import Path

_FIXED_ENVIRONMENT = {
    "JAX_PLATFORMS": "cpu",
    # libtpu looks for the machine's own TPU unless told not to, and takes a lock for one process.
    "TPU_SKIP_MDS_QUERY": "1",
    "ALLOW_MULTIPLE_LIBTPU_LOAD": "1",
    "TPU_ACCELERATOR_TYPE": "v5litepod-8",
    "TPU_WORKER_HOSTNAMES": "localhost",
    "TPU_WORKER_ID": "0",
    # XLA's warnings are worth reading, such as that of a tensor replicated for want of better.
    "TF_CPP_MIN_LOG_LEVEL": "1",
    "TPU_MIN_LOG_LEVEL": "3",
    "TPU_STDERR_LOG_LEVEL": "3",
    "TPU_LOG_DIR": "disabled",
}


def _make_package_known() -> None:
    directory = Path(__file__).resolve().parent
    spec = importlib.util.spec_from_file_location(
        "tpu_runner", directory / "__init__.py", submodule_search_locations=[str(directory)]
    )
    if spec is None or spec.loader is None:
        raise ImportError(f"no package in {directory}")
    package = importlib.util.module_from_spec(spec)
    sys.modules["tpu_runner"] = package
    spec.loader.exec_module(package)


def _limit(resource_number: int, value: int) -> None:
    """Lower one limit of this process for good; where the system has no such limit, leave it."""
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource_number, (value, value))


def main() -> None:
    """Run one stage: warm up, say ready, take one request from stdin, put one report on stdout."""
    parser = argparse.ArgumentParser(prog="start.py")
    parser.add_argument("stage", choices=("trace", "compile", "answer"))
    parser.add_argument("--devices", type=int, required=True, help="fake CPU devices")
    parser.add_argument("--warm", action="store_true", help="compile something small first")
    parser.add_argument("--memory-bytes", type=int, required=True)
    parser.add_argument("--cpu-seconds", type=int, required=True)
    parser.add_argument("--file-bytes", type=int, required=True)
    parser.add_argument("--open-files", type=int, required=True)
    options = parser.parse_args()
    _limit(resource.RLIMIT_AS, options.memory_bytes)
    _limit(resource.RLIMIT_CPU, options.cpu_seconds)
    _limit(resource.RLIMIT_FSIZE, options.file_bytes)
    _limit(resource.RLIMIT_NOFILE, options.open_files)
    _limit(resource.RLIMIT_CORE, 0)
    os.environ.update(_FIXED_ENVIRONMENT)
    os.environ["XLA_FLAGS"] = f"--xla_force_host_platform_device_count={options.devices}"
    _make_package_known()
    from tpu_runner.serve import serve  # noqa: PLC0415 - JAX reads the environment when imported

    serve(options.stage, warm=options.warm)


if __name__ == "__main__":
    main()
