"""The schema, in numbered steps. Only the watch applies them, each in one transaction, after putting a copy aside."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from store.database import SCHEMA_VERSION, refuse_newer, schema_version, unavailable, write
from store.ids import new_id, now_ms

_TOTALS = """
  turns INTEGER NOT NULL DEFAULT 0,
  input INTEGER, output INTEGER, cache_read INTEGER, cache_write INTEGER, cost INTEGER, estimated INTEGER,
  missing_input INTEGER NOT NULL DEFAULT 0, missing_output INTEGER NOT NULL DEFAULT 0,
  missing_cache_read INTEGER NOT NULL DEFAULT 0, missing_cache_write INTEGER NOT NULL DEFAULT 0,
  missing_cost INTEGER NOT NULL DEFAULT 0"""

_FIRST = f"""
CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;

CREATE TABLE events(
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  at INTEGER NOT NULL,
  run TEXT,
  agent TEXT,
  type TEXT NOT NULL,
  from_state TEXT,
  to_state TEXT,
  data TEXT NOT NULL) STRICT;
CREATE INDEX events_of_run ON events(run, seq);

CREATE TABLE evicting(run TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
CREATE TRIGGER events_are_never_changed BEFORE UPDATE ON events BEGIN
  SELECT RAISE(ABORT, 'an event is never changed');
END;
CREATE TRIGGER events_leave_with_their_run BEFORE DELETE ON events
WHEN NOT EXISTS (SELECT 1 FROM evicting WHERE run = OLD.run) BEGIN
  SELECT RAISE(ABORT, 'an event is only deleted with its whole run');
END;

CREATE TABLE runs(
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  workflow TEXT NOT NULL,
  name TEXT NOT NULL,
  folder TEXT NOT NULL,
  digest TEXT NOT NULL,
  state TEXT NOT NULL,
  paused INTEGER NOT NULL DEFAULT 0,
  draining_until INTEGER,
  halted TEXT,
  halted_detail TEXT,
  outcome TEXT,
  reached_end INTEGER NOT NULL DEFAULT 0,
  why TEXT,
  restored INTEGER NOT NULL DEFAULT 0,
  discarded INTEGER NOT NULL DEFAULT 0,
  continues TEXT,
  parent TEXT,
  parent_agent TEXT,
  started_at INTEGER NOT NULL,
  ended_at INTEGER,
  finished_seq INTEGER,
  dropped TEXT,  -- why its detail is gone
  bytes INTEGER,  -- of its record, once it has ended
  wave INTEGER NOT NULL DEFAULT -1,{_TOTALS},
  plan TEXT NOT NULL,
  inputs TEXT NOT NULL) STRICT;  -- the long ones last: a list of runs is read without their overflow pages
CREATE INDEX runs_of_workflow ON runs(workflow, state, seq);
CREATE INDEX runs_ended ON runs(workflow, finished_seq) WHERE state = 'finished';
CREATE INDEX runs_live ON runs(seq) WHERE state = 'live';
CREATE INDEX runs_to_recover ON runs(seq) WHERE restored = 1 AND discarded = 0;
CREATE INDEX runs_kept ON runs(seq) WHERE dropped IS NULL;
CREATE INDEX runs_continuing ON runs(continues) WHERE continues IS NOT NULL;
CREATE INDEX runs_of_parent ON runs(parent) WHERE parent IS NOT NULL;
CREATE INDEX runs_by_end ON runs(ended_at) WHERE ended_at IS NOT NULL;

CREATE TABLE delegations(
  run TEXT NOT NULL,
  agent TEXT NOT NULL,
  wave INTEGER NOT NULL,
  position INTEGER NOT NULL,
  state TEXT NOT NULL,
  held INTEGER NOT NULL DEFAULT 0,
  not_before INTEGER,
  reason TEXT,
  detail TEXT,
  verdict TEXT,
  quote TEXT,
  warning TEXT,
  files TEXT NOT NULL DEFAULT '[]',
  model TEXT,
  answer_bytes INTEGER NOT NULL DEFAULT 0,
  answer_sha256 TEXT,
  started_at INTEGER,
  ended_at INTEGER,{_TOTALS},
  PRIMARY KEY(run, agent)) STRICT, WITHOUT ROWID;
CREATE INDEX delegations_at_work ON delegations(state) WHERE state IN ('running', 'review', 'stopping');

CREATE TABLE attempts(
  run TEXT NOT NULL,
  agent TEXT NOT NULL,
  number INTEGER NOT NULL,
  id TEXT NOT NULL UNIQUE,
  cli TEXT NOT NULL,
  session TEXT,
  deadline INTEGER,
  pid INTEGER,
  start_ticks INTEGER,
  boot TEXT,
  namespace INTEGER,
  started_at INTEGER NOT NULL,
  ended_at INTEGER,
  exit_code INTEGER,
  signal INTEGER,
  asked TEXT,
  result TEXT,
  leftovers INTEGER NOT NULL DEFAULT 0,
  out_bytes INTEGER NOT NULL DEFAULT 0,
  err_bytes INTEGER NOT NULL DEFAULT 0,
  not_understood INTEGER NOT NULL DEFAULT 0,
  misread TEXT,
  PRIMARY KEY(run, agent, number)) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX session_taken_up_once ON attempts(cli, session) WHERE session IS NOT NULL AND ended_at IS NULL;

CREATE TABLE usage(
  run TEXT NOT NULL,
  agent TEXT NOT NULL,
  attempt INTEGER NOT NULL,
  request TEXT NOT NULL,
  at INTEGER NOT NULL,
  workflow TEXT NOT NULL,
  model TEXT,
  input INTEGER, output INTEGER, cache_read INTEGER, cache_write INTEGER, cost INTEGER, estimated INTEGER,
  at_least INTEGER NOT NULL DEFAULT 0,
  missing_input INTEGER, missing_output INTEGER, missing_cache_read INTEGER, missing_cache_write INTEGER,
  missing_cost INTEGER,  -- only in a row that stands for many
  PRIMARY KEY(run, agent, attempt, request)) STRICT, WITHOUT ROWID;
CREATE INDEX usage_by_time ON usage(at);

CREATE TABLE credentials(
  key TEXT PRIMARY KEY,
  standing TEXT NOT NULL,
  cli TEXT NOT NULL,
  at INTEGER NOT NULL,
  run TEXT,
  agent TEXT,
  attempt INTEGER NOT NULL,
  message TEXT NOT NULL,
  resets_at TEXT) STRICT, WITHOUT ROWID;

CREATE TABLE vitals(
  run TEXT NOT NULL,
  agent TEXT NOT NULL,
  at INTEGER NOT NULL,
  sign_of_life INTEGER,
  silent_by INTEGER,
  deadline INTEGER,
  due INTEGER GENERATED ALWAYS AS (MIN(COALESCE(silent_by, deadline), COALESCE(deadline, silent_by))) VIRTUAL,
  cpu INTEGER,
  memory INTEGER,
  tree TEXT NOT NULL DEFAULT '[]',
  PRIMARY KEY(run, agent)) STRICT, WITHOUT ROWID;
CREATE INDEX vitals_due ON vitals(due) WHERE due IS NOT NULL;
CREATE INDEX vitals_by_sign_of_life ON vitals(sign_of_life);

CREATE TABLE inbox(
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  at INTEGER NOT NULL,
  verb TEXT NOT NULL,
  body TEXT NOT NULL,
  expires_at INTEGER,
  state TEXT NOT NULL DEFAULT 'waiting',
  answer TEXT,
  handled_at INTEGER) STRICT;
CREATE INDEX inbox_waiting ON inbox(seq) WHERE state = 'waiting';

CREATE TABLE outbox(
  consumer TEXT NOT NULL DEFAULT '',  -- '': not handed out yet
  seq INTEGER NOT NULL,
  owner TEXT,
  leased_until INTEGER,
  tries INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY(consumer, seq)) STRICT, WITHOUT ROWID;

CREATE TABLE seen(
  event TEXT NOT NULL,
  consumer TEXT NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY(event, consumer)) STRICT, WITHOUT ROWID;

CREATE TABLE dead_letters(
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  at INTEGER NOT NULL,
  kind TEXT NOT NULL,
  consumer TEXT,
  event INTEGER,
  run TEXT,
  agent TEXT,
  type TEXT NOT NULL,
  data TEXT NOT NULL,
  why TEXT NOT NULL,
  state TEXT NOT NULL DEFAULT 'open') STRICT;
CREATE INDEX dead_letters_open ON dead_letters(at, seq) WHERE state = 'open';
CREATE INDEX dead_letters_of_run ON dead_letters(run);
"""

_STEPS: tuple[str, ...] = (_FIRST,)


def migrate(connection: sqlite3.Connection, path: Path, *, machine: str) -> None:
    """Brings the record to this program's schema; does nothing when it is there already.

    Raises `RecordTooNew` for a record of a later midwatch and `RecordUnavailable` when SQLite refuses. Before a step
    that changes an existing record, a copy of it is put beside it as `record.db.before-N`.
    """
    try:
        before = schema_version(connection)
        refuse_newer(before, path)
        if before == SCHEMA_VERSION:
            return
        if before:
            _put_aside(connection, path, before)
        import sqlite_utils

        database = sqlite_utils.Database(connection, execute_plugins=False)
        with write(connection):
            before = schema_version(connection)  # another process may have been first
            for number in range(before, SCHEMA_VERSION):
                database.executescript(_STEPS[number])
            if before == 0:
                connection.executemany(
                    "INSERT INTO meta(key, value) VALUES(?, ?)",
                    [("record", new_id()), ("machine", machine), ("created_at", str(now_ms()))],
                )
            connection.execute(f"PRAGMA user_version={SCHEMA_VERSION}")
    except sqlite3.Error as error:
        raise unavailable(path, error) from error


def _put_aside(connection: sqlite3.Connection, path: Path, version: int) -> None:
    copy = path.with_name(f"{path.name}.before-{version + 1}")
    copy.touch(mode=0o600, exist_ok=True)
    target = sqlite3.connect(copy)
    try:
        connection.backup(target)
    finally:
        target.close()
