/*
 * ledger.db. Times are Unix milliseconds (`*_ms`), file times Unix nanoseconds (`*_ns`). Paths are UTF-8 and relative to their
 * folder's root; SQLite compares TEXT by bytes, which is the order in which the walker goes.
 *
 * projects   the project ids that folders point to; a small number stands for each in the rows of contents.
 * folders    one row a configured folder. `device` stands here and not per file: it changes on remount. A folder that left the
 *            config keeps its rows (`configured` 0), so that taking it back sends nothing again.
 * files      one row a path that is not ignored. `content` is what the path holds (`present`) or last held (other states).
 * contents   one row per (project, md5, size): equal bytes at ten paths are one upload. The only index on md5.
 * arrivals   UNIQUE (folder, content): the first time that a content became usable through this folder. `seq` is the order of
 *            arrival, by a counter and never by a clock. A rename, a copy or an edit and its revert makes no new arrival.
 * asset_labels  the labels that we attached. Labels that people attached are not here and are never touched.
 * counts     (folder, stage) -> files, bytes; changed in the same transaction as the rows. The stage of a present file is its
 *            content's state, of any other file its own.
 * usage      per hour: contents first wanted (the brake) and bytes sent (the daily limit).
 * wall_clock one row: the newest time that was seen, to notice that the clock was set back.
 * troubles   what is wrong beyond any one file, for status.
 * prompts    one row a prompt that was ever configured. One that left the config rests (`configured` 0) and keeps everything.
 *            `began_seq`: arrivals up to here were there before it. `checked_ms`: due times up to here are dealt with.
 *            `last_written_due_ms`: the last-run mark, moved by written runs alone.
 * runs       UNIQUE (prompt, due_ms): the states are those of domain/run.ts. Ids are never given twice: others keep them.
 *            `mark_ms` is the prompt's last-run mark when the run began.
 * run_turns, run_assets, run_refusals  what a run asks about, as it was planned; contents and files may go on without it.
 * told       what each prompt was told by written runs, once and for all: never trimmed. By md5 and size and not by content, so
 *            that a rebuilt ledger takes it from the manifests beside the reports before it has any contents (`run` is NULL then).
 * deliveries (run, target): each is retried on its own.
 * history    from `reserved` on, narrow, for people. Never read by workers.
 */
export const first_ledger_schema = `
CREATE TABLE projects (
  id INTEGER PRIMARY KEY,
  project_id TEXT NOT NULL UNIQUE
) STRICT;

CREATE TABLE folders (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  root TEXT NOT NULL,
  project INTEGER NOT NULL REFERENCES projects (id),
  labels TEXT NOT NULL,
  label_from TEXT NOT NULL,
  rules TEXT NOT NULL,
  configured INTEGER NOT NULL,
  device INTEGER,
  offline_reason TEXT,
  state_since_ms INTEGER NOT NULL,
  started_ms INTEGER NOT NULL,
  empty_accepted INTEGER NOT NULL DEFAULT 0,
  first_scan_ms INTEGER,
  scan_began_ms INTEGER,
  scan_ended_ms INTEGER,
  scan_summary TEXT,
  scan_wanted_ms INTEGER
) STRICT;

CREATE TABLE files (
  folder INTEGER NOT NULL,
  path TEXT NOT NULL,
  state TEXT NOT NULL,
  size INTEGER NOT NULL,
  mtime_ns INTEGER NOT NULL,
  ctime_ns INTEGER NOT NULL,
  inode INTEGER NOT NULL,
  content INTEGER,
  reason TEXT,
  detail TEXT,
  not_before_ms INTEGER,
  seen_ms INTEGER NOT NULL,
  settled_ms INTEGER,
  ready_ms INTEGER,
  gone_ms INTEGER,
  sent_ms INTEGER,
  accepted INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (folder, path)
) STRICT, WITHOUT ROWID;
CREATE INDEX files_by_content ON files (content) WHERE content IS NOT NULL;
CREATE INDEX files_to_look_at ON files (not_before_ms) WHERE state IN ('seen', 'blocked') AND not_before_ms IS NOT NULL;
CREATE INDEX files_gone ON files (gone_ms) WHERE state = 'gone';
CREATE INDEX files_before_start ON files (folder, inode) WHERE reason = 'before_start';
CREATE INDEX files_unsettled ON files (folder, path) WHERE state IN ('seen', 'blocked');
CREATE INDEX files_blocked ON files (folder, reason, path, size) WHERE state = 'blocked';

CREATE TABLE contents (
  id INTEGER PRIMARY KEY,
  project INTEGER NOT NULL,
  md5 BLOB NOT NULL,
  size INTEGER NOT NULL,
  state TEXT NOT NULL,
  asset_id TEXT,
  made_here INTEGER NOT NULL DEFAULT 0,
  without_md5 INTEGER NOT NULL DEFAULT 0,
  not_before_ms INTEGER NOT NULL,
  attempts INTEGER NOT NULL DEFAULT 0,
  slots_lost INTEGER NOT NULL DEFAULT 0,
  vanished INTEGER NOT NULL DEFAULT 0,
  error_code TEXT,
  error_message TEXT,
  wanted_ms INTEGER NOT NULL,
  intended_ms INTEGER,
  sent_ms INTEGER,
  following_since_ms INTEGER,
  ready_ms INTEGER,
  labels_due_ms INTEGER,
  UNIQUE (md5, size, project)
) STRICT;
CREATE INDEX contents_to_send ON contents (not_before_ms, id) WHERE state IN ('wanted', 'reserving', 'reserved', 'sent');
CREATE INDEX contents_to_complete ON contents (not_before_ms, id) WHERE state = 'sent';
CREATE INDEX contents_to_follow ON contents (not_before_ms, id) WHERE state = 'ingesting';
CREATE INDEX contents_to_label ON contents (labels_due_ms) WHERE state = 'ready' AND labels_due_ms IS NOT NULL;
CREATE INDEX contents_in_need ON contents (id) WHERE state IN ('refused', 'removed_on_service');

CREATE TABLE arrivals (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  folder INTEGER NOT NULL,
  content INTEGER NOT NULL,
  at_ms INTEGER NOT NULL,
  UNIQUE (folder, content)
) STRICT;

CREATE TABLE asset_labels (
  content INTEGER NOT NULL,
  name TEXT NOT NULL,
  label_id TEXT NOT NULL,
  PRIMARY KEY (content, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE counts (
  folder INTEGER NOT NULL,
  stage TEXT NOT NULL,
  files INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  PRIMARY KEY (folder, stage)
) STRICT, WITHOUT ROWID;

CREATE TABLE usage (
  what TEXT NOT NULL,
  hour_ms INTEGER NOT NULL,
  files INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  PRIMARY KEY (what, hour_ms)
) STRICT, WITHOUT ROWID;

CREATE TABLE wall_clock (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  newest_ms INTEGER NOT NULL
) STRICT;

CREATE TABLE troubles (
  about TEXT PRIMARY KEY,
  code TEXT NOT NULL,
  message TEXT NOT NULL,
  hint TEXT,
  since_ms INTEGER NOT NULL,
  last_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE prompts (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  project INTEGER NOT NULL REFERENCES projects (id),
  schedule TEXT NOT NULL,
  configured INTEGER NOT NULL,
  began_ms INTEGER NOT NULL,
  began_seq INTEGER NOT NULL,
  checked_ms INTEGER NOT NULL,
  last_written_due_ms INTEGER,
  chat_id TEXT
) STRICT;

CREATE TABLE runs (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  prompt INTEGER NOT NULL REFERENCES prompts (id),
  due_ms INTEGER NOT NULL,
  cause TEXT NOT NULL,
  state TEXT NOT NULL,
  began_ms INTEGER NOT NULL,
  mark_ms INTEGER,
  not_before_ms INTEGER NOT NULL,
  attempts INTEGER NOT NULL DEFAULT 0,
  turn INTEGER NOT NULL DEFAULT 0,
  notes TEXT NOT NULL DEFAULT '[]',
  coverage TEXT,
  chat_id TEXT,
  error_code TEXT,
  error_message TEXT,
  why TEXT,
  report_path TEXT,
  planned_ms INTEGER,
  ended_ms INTEGER,
  UNIQUE (prompt, due_ms)
) STRICT;
CREATE INDEX runs_open ON runs (prompt, due_ms) WHERE state IN ('due', 'planned', 'asking', 'asked', 'answered');
CREATE INDEX runs_ended ON runs (ended_ms) WHERE ended_ms IS NOT NULL;

CREATE TABLE run_turns (
  run INTEGER NOT NULL,
  turn INTEGER NOT NULL,
  body TEXT NOT NULL,
  intended_ms INTEGER,
  chat_id TEXT,
  message_id TEXT,
  asked_ms INTEGER,
  answer TEXT,
  answered_ms INTEGER,
  asked_again INTEGER NOT NULL,
  PRIMARY KEY (run, turn)
) STRICT;

CREATE TABLE run_assets (
  run INTEGER NOT NULL,
  place INTEGER NOT NULL,
  content INTEGER NOT NULL,
  asset_id TEXT NOT NULL,
  md5 BLOB NOT NULL,
  size INTEGER NOT NULL,
  name TEXT NOT NULL,
  seq INTEGER NOT NULL,
  arrived_ms INTEGER NOT NULL,
  turn INTEGER NOT NULL,
  PRIMARY KEY (run, place)
) STRICT, WITHOUT ROWID;

CREATE TABLE run_refusals (
  run INTEGER NOT NULL,
  place INTEGER NOT NULL,
  content INTEGER NOT NULL,
  md5 BLOB NOT NULL,
  size INTEGER NOT NULL,
  name TEXT NOT NULL,
  why TEXT NOT NULL,
  PRIMARY KEY (run, place)
) STRICT, WITHOUT ROWID;

CREATE TABLE told (
  prompt INTEGER NOT NULL,
  md5 BLOB NOT NULL,
  size INTEGER NOT NULL,
  what TEXT NOT NULL,
  run INTEGER,
  PRIMARY KEY (prompt, md5, size, what)
) STRICT, WITHOUT ROWID;

CREATE TABLE deliveries (
  run INTEGER NOT NULL,
  target TEXT NOT NULL,
  state TEXT NOT NULL,
  attempts INTEGER NOT NULL DEFAULT 0,
  not_before_ms INTEGER NOT NULL,
  wanted_ms INTEGER NOT NULL,
  done_ms INTEGER,
  error_code TEXT,
  error_message TEXT,
  PRIMARY KEY (run, target)
) STRICT;
CREATE INDEX deliveries_due ON deliveries (not_before_ms) WHERE state = 'wanted';
CREATE INDEX deliveries_failed ON deliveries (run) WHERE state = 'failed';

CREATE TABLE history (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  at_ms INTEGER NOT NULL,
  content INTEGER NOT NULL,
  event TEXT NOT NULL,
  detail TEXT
) STRICT;
CREATE INDEX history_by_content ON history (content);
`
