"""Run a worker: `python -m grader.worker [--threads N] [--queues NAMES] [--name NAME]`."""

import argparse
import os

import django


def main() -> None:
    """Take tasks until SIGTERM or SIGINT; then finish those begun and end."""
    parser = argparse.ArgumentParser(prog="python -m grader.worker", description=__doc__)
    parser.add_argument("--threads", type=int, default=2, help="tasks at a time (default: 2)")
    parser.add_argument(
        "--queues", default="site,grade.cpu", help="comma-separated (default: site,grade.cpu)"
    )
    parser.add_argument("--name", default="worker@%h", help="%%h is the host (default: worker@%%h)")
    chosen = parser.parse_args()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "questionbank.settings.production")
    django.setup()

    from grader.worker.app import app  # noqa: PLC0415  # its configuration needs Django set up

    app.worker_main(
        [
            "--quiet",  # without its banner
            "worker",
            # Threads: the slot pools live in this one process, and what can hang or crash runs in
            # sandboxes outside it.
            "--pool=threads",
            f"--concurrency={chosen.threads}",
            f"--queues={chosen.queues}",
            f"--hostname={chosen.name}",
            "--without-gossip",
            "--without-mingle",
        ]
    )


if __name__ == "__main__":
    main()
