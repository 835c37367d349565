# make run    the whole site on this machine          make test    every check and test
# make admin  make a superuser                        make lint    the checks alone
# make doctor what this machine has and lacks         make format  put every file into its form
# make lock   pin the dependencies anew
PORT ?= 8000
HOST ?= 127.0.0.1
TPU ?= 1

SHELL := /bin/sh
VENV := .venv/bin
BOOTSTRAP = python=$$(sh deploy/local/find_python.sh) && "$$python" -m deploy.local.bootstrap \
	$(if $(filter 0 no off false,$(TPU)),--without-tpu)

.PHONY: run admin doctor test lint format lock ready ready-dev
.SILENT:

run: ready
	exec $(VENV)/python -m deploy.local.serve --host $(HOST) --port $(PORT)

admin: ready
	$(VENV)/python manage.py migrate --verbosity 0
	$(VENV)/python manage.py createsuperuser

doctor:
	python=$$(sh deploy/local/find_python.sh --look-only || command -v python3) && \
		"$$python" -m deploy.local.doctor

ready:
	$(BOOTSTRAP)

ready-dev:
	$(BOOTSTRAP) --dev

# Twice: on SQLite, then what touches the database once more on PostgreSQL.
test: lint
	$(VENV)/python -m pytest -n 2 --dist loadfile
	$(VENV)/python -m deploy.local.postgres \
		$(VENV)/python -m pytest -n 2 --dist loadfile --only-database -m "not browser"

lint: ready-dev
	$(VENV)/python -m deploy.local.checks

format: ready-dev
	$(VENV)/python -m deploy.local.checks --write

lock: ready-dev
	deploy/lock.sh
