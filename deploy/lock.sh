#!/bin/sh
# Pin every dependency with its hashes: pyproject.toml -> requirements.lock -> requirements*.txt.
# Versions already locked stay; `deploy/lock.sh --upgrade` takes the newest that fit.
set -eu
cd "$(dirname "$0")/.."
uv="${UV:-.venv/bin/uv}"
[ -x "$uv" ] || uv=uv

compile() {
  "$uv" pip compile --quiet --universal --python-version 3.12 --generate-hashes \
    --no-emit-index-url --no-header "$@" pyproject.toml
}

compile "$@" --all-extras --output-file requirements.lock
compile --constraint requirements.lock --output-file requirements.txt
compile --constraint requirements.lock --extra tpu --output-file requirements-tpu.txt
compile --constraint requirements.lock --extra dev --output-file requirements-dev.txt
