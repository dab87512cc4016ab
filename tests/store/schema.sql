CREATE TRIGGER events_are_never_changed BEFORE UPDATE ON events BEGIN
  SELECT RAISE(ABORT, 'an event is never changed');
END;

CREATE TRIGGER events_leave_with_their_run BEFORE DELETE ON events
WHEN NOT EXISTS (SELECT 1 FROM evicting WHERE run = OLD.run) BEGIN
  SELECT RAISE(ABORT, 'an event is only deleted with its whole run');
END;

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
  ended_at INTEGER,
  turns INTEGER NOT NULL DEFAULT 0,
  input INTEGER, output INTEGER, cache_read INTEGER, cache_write INTEGER, cost INTEGER, estimated INTEGER,
  missing_input INTEGER NOT NULL DEFAULT 0, missing_output INTEGER NOT NULL DEFAULT 0,
  missing_cache_read INTEGER NOT NULL DEFAULT 0, missing_cache_write INTEGER NOT NULL DEFAULT 0,
  missing_cost INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY(run, agent)) STRICT, WITHOUT ROWID;

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

CREATE TABLE evicting(run TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;

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

CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;

CREATE TABLE outbox(
  consumer TEXT NOT NULL DEFAULT '',  -- '': not handed out yet
  seq INTEGER NOT NULL,
  owner TEXT,
  leased_until INTEGER,
  tries INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY(consumer, seq)) STRICT, WITHOUT ROWID;

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
  wave INTEGER NOT NULL DEFAULT -1,
  turns INTEGER NOT NULL DEFAULT 0,
  input INTEGER, output INTEGER, cache_read INTEGER, cache_write INTEGER, cost INTEGER, estimated INTEGER,
  missing_input INTEGER NOT NULL DEFAULT 0, missing_output INTEGER NOT NULL DEFAULT 0,
  missing_cache_read INTEGER NOT NULL DEFAULT 0, missing_cache_write INTEGER NOT NULL DEFAULT 0,
  missing_cost INTEGER NOT NULL DEFAULT 0,
  plan TEXT NOT NULL,
  inputs TEXT NOT NULL) STRICT;

CREATE TABLE seen(
  event TEXT NOT NULL,
  consumer TEXT NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY(event, consumer)) STRICT, WITHOUT ROWID;

CREATE TABLE sqlite_sequence(name,seq);

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

CREATE INDEX dead_letters_of_run ON dead_letters(run);

CREATE INDEX dead_letters_open ON dead_letters(at, seq) WHERE state = 'open';

CREATE INDEX delegations_at_work ON delegations(state) WHERE state IN ('running', 'review', 'stopping');

CREATE INDEX events_of_run ON events(run, seq);

CREATE INDEX inbox_waiting ON inbox(seq) WHERE state = 'waiting';

CREATE INDEX runs_by_end ON runs(ended_at) WHERE ended_at IS NOT NULL;

CREATE INDEX runs_continuing ON runs(continues) WHERE continues IS NOT NULL;

CREATE INDEX runs_ended ON runs(workflow, finished_seq) WHERE state = 'finished';

CREATE INDEX runs_kept ON runs(seq) WHERE dropped IS NULL;

CREATE INDEX runs_live ON runs(seq) WHERE state = 'live';

CREATE INDEX runs_of_parent ON runs(parent) WHERE parent IS NOT NULL;

CREATE INDEX runs_of_workflow ON runs(workflow, state, seq);

CREATE INDEX runs_to_recover ON runs(seq) WHERE restored = 1 AND discarded = 0;

CREATE UNIQUE INDEX session_taken_up_once ON attempts(cli, session) WHERE session IS NOT NULL AND ended_at IS NULL;

CREATE INDEX usage_by_time ON usage(at);

CREATE INDEX vitals_by_sign_of_life ON vitals(sign_of_life);

CREATE INDEX vitals_due ON vitals(due) WHERE due IS NOT NULL;

