"""How each kind of database is spoken to."""

_SQLITE = {
    # A writer takes its lock as it begins, so it waits for its turn and never fails half way.
    "transaction_mode": "IMMEDIATE",
    "timeout": 20,  # seconds
    # Readers never wait for a writer. NORMAL can lose the last commits to a power cut, never more.
    "init_command": (
        "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA temp_store=MEMORY;"
        "PRAGMA cache_size=-32000; PRAGMA mmap_size=134217728;"
    ),
}
_POSTGRESQL = {
    # Sync views run in short-lived threads, so connections are kept in a pool and not by thread.
    "pool": {"min_size": 1, "max_size": 16, "timeout": 5},
    "connect_timeout": 5,  # seconds
}


def with_sensible_options(database: dict[str, object]) -> dict[str, object]:
    """Django's settings of one database with our options; what its URL says goes before them."""
    options = _SQLITE if str(database["ENGINE"]).endswith("sqlite3") else _POSTGRESQL
    said = database.get("OPTIONS")
    return {
        **database,
        "CONN_HEALTH_CHECKS": True,
        "OPTIONS": {**options, **(said if isinstance(said, dict) else {})},
    }
