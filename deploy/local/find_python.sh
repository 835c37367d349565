#!/bin/sh
# Print the path of an interpreter that fits (3.12 or newer, able to make an environment).
# Looks on PATH, then for versions that pyenv or uv installed but did not make active. PYTHON=... is
# taken at its word. When there is none: as root from apt, else by uv, else says what to do; with
# --look-only nothing is installed.
set -u
cd "$(dirname "$0")/../.." || exit 1

new_enough='import sys; sys.exit(sys.version_info < (3, 12))'
fits='import sys, venv, ensurepip; print(sys.executable) if sys.version_info >= (3, 12) else sys.exit(1)'

try() { # prints the interpreter's own path and ends when it fits
  "$1" -c "$fits" 2>/dev/null && exit 0
  if "$1" -c "$new_enough" 2>/dev/null; then lacks_venv=$1; fi
}

look() {
  lacks_venv=''
  for name in python3.13 python3.12 python3.14 python3 python; do
    path=$(command -v "$name") && try "$path"
  done
  pyenv=${PYENV_ROOT:-${HOME:-/nowhere}/.pyenv}/versions
  uv_pythons=${UV_PYTHON_INSTALL_DIR:-${XDG_DATA_HOME:-${HOME:-/nowhere}/.local/share}/uv/python}
  for version in 3.13 3.12 3.14; do
    for path in "$pyenv/$version"*/bin/python3 "$uv_pythons/cpython-$version"*/bin/python3 \
      "/usr/local/bin/python$version" "/opt/python/$version"*/bin/python3; do
      [ -x "$path" ] && try "$path"
    done
  done
}

if [ -n "${PYTHON:-}" ]; then
  try "$(command -v "$PYTHON" || echo "$PYTHON")"
  echo "PYTHON=$PYTHON is no Python 3.12 or newer with venv and ensurepip" >&2
  exit 1
fi
[ -x .venv/bin/python ] && try .venv/bin/python
look
[ "${1:-}" = --look-only ] && exit 1

as_root() { [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; }

if as_root; then
  candidate=$(apt-cache policy python3 2>/dev/null | sed -n 's/^ *Candidate: *3\.\([0-9]*\).*/\1/p')
  if [ -z "$candidate" ]; then
    apt-get update -qq >&2
    candidate=$(apt-cache policy python3 | sed -n 's/^ *Candidate: *3\.\([0-9]*\).*/\1/p')
  fi
  if [ "${candidate:-0}" -ge 12 ]; then
    echo "installing python3 and python3-venv" >&2
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
      python3 python3-venv >&2
    look
  fi
fi

uv=$(command -v uv || { [ -x "${HOME:-}/.local/bin/uv" ] && echo "$HOME/.local/bin/uv"; })
if [ -n "$uv" ]; then
  echo "no Python 3.12 or newer: letting uv fetch 3.13" >&2
  "$uv" python install 3.13 >&2
  look
fi

if [ -n "$lacks_venv" ]; then
  echo "$lacks_venv cannot make an environment: apt-get install python3-venv, then try again" >&2
  exit 1
fi
cat >&2 <<'MESSAGE'
No Python 3.12 or newer was found. Each of these brings one; then run the same command again:
  apt-get install python3 python3-venv      Debian 13, Ubuntu 24.04 and newer
  apt-get install pipx && pipx install uv   Debian 12: uv then fetches Python 3.13 by itself
  pyenv install 3.13                        where pyenv is
One that lies elsewhere: make run PYTHON=/path/to/python3
MESSAGE
exit 1
