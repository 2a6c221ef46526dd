/*
 * Prompts, their runs, and the receivers of reports and alerts.
 *
 * prompts    one row per prompt that was ever configured. A prompt that left the config is inactive
 *            (`configured` is 0) and keeps everything.
 *   began_seq  arrivals up to this one came before the prompt.
 *   checked_ms due times up to this one have their run, or were passed over.
 *   last_written_due_ms   the last-run mark. Only written runs move it.
 *   restored_ms  since when the prompt has existed, as the manifests in a rebuilt ledger say: its
 *            begin, or the due time of its oldest run if that is earlier. NULL without manifests.
 * prompt_stays   the position of a prompt in a project that it left. The prompt continues from
 *            there if it gets that project again.
 * runs       UNIQUE (prompt, due_ms). For the states see domain/run.ts. Ids are never used again,
 *            because other tables keep them. `mark_ms`: the prompt's last-run mark when the run
 *            began. `notes`, `turns` and `refusals` are JSON.
 * run_assets what a run asks about, as it was planned. Contents and files may change or go later.
 * covered    what written runs covered for each prompt: assets, and refused contents. Never
 *            trimmed. It has md5 and size, not a content: a rebuilt ledger reads it from the
 *            manifests beside the reports before it has any contents. `run` is NULL then.
 * alerts     reports of changed health, newest last. `problems`: those open at that time, as JSON.
 *            So a restarted daemon neither reports them again nor forgets them.
 * deliveries one receiver of a report (`run`) or of an alert (`alert`). Each is retried on its own.
 *            `output`: the end of what the last command wrote.
 */
export const prompts_schema = `
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
  chat_id TEXT,
  restored_ms INTEGER
) STRICT;

CREATE TABLE prompt_stays (
  prompt INTEGER NOT NULL REFERENCES prompts (id),
  project INTEGER NOT NULL REFERENCES projects (id),
  began_ms INTEGER NOT NULL,
  began_seq INTEGER NOT NULL,
  last_written_due_ms INTEGER,
  chat_id TEXT,
  restored_ms INTEGER,
  PRIMARY KEY (prompt, project)
) STRICT, WITHOUT ROWID;

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
  turns TEXT NOT NULL DEFAULT '[]',
  refusals TEXT NOT NULL DEFAULT '[]',
  UNIQUE (prompt, due_ms)
) STRICT;
CREATE INDEX runs_open ON runs (prompt, due_ms) WHERE state IN ('due', 'planned', 'asking', 'asked', 'answered');
CREATE INDEX runs_ended ON runs (ended_ms) WHERE ended_ms IS NOT NULL;

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

CREATE TABLE covered (
  prompt INTEGER NOT NULL,
  md5 BLOB NOT NULL,
  size INTEGER NOT NULL,
  what TEXT NOT NULL,
  run INTEGER,
  PRIMARY KEY (prompt, md5, size, what)
) STRICT, WITHOUT ROWID;

CREATE TABLE alerts (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  message_id TEXT NOT NULL,
  at_ms INTEGER NOT NULL,
  subject TEXT NOT NULL,
  text TEXT NOT NULL,
  problems TEXT NOT NULL
) STRICT;

CREATE TABLE deliveries (
  run INTEGER,
  alert INTEGER,
  target TEXT NOT NULL,
  state TEXT NOT NULL,
  attempts INTEGER NOT NULL DEFAULT 0,
  not_before_ms INTEGER NOT NULL,
  wanted_ms INTEGER NOT NULL,
  done_ms INTEGER,
  error_code TEXT,
  error_message TEXT,
  output TEXT,
  UNIQUE (run, target),
  UNIQUE (alert, target),
  CHECK ((run IS NULL) <> (alert IS NULL))
) STRICT;
CREATE INDEX deliveries_due ON deliveries (not_before_ms) WHERE state = 'wanted';
CREATE INDEX deliveries_failed ON deliveries (run) WHERE state = 'failed';
`

/*
 * changes    what happened to the files of folders that a prompt asks about, after their first
 *            scan. `was` and `content`: the contents before and after, NULL for none. A row stays
 *            until every prompt of its folder has reported it.
 * prompts.folders     JSON list: the folders in the scope of the prompt.
 * prompts.changes_to  changes up to this one are reported. A prompt that begins, or comes back to
 *            the configuration or to a project, begins at the newest one.
 * prompts.changed     JSON list: changes up to `changes_to` whose new content no report asked
 *            about yet, so that the report that does does not call the file new.
 * runs.changes_to, runs.changed   what becomes of these two once the run is written.
 */
export const changes_schema = `
CREATE TABLE changes (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  folder INTEGER NOT NULL,
  path TEXT NOT NULL,
  was INTEGER,
  content INTEGER
) STRICT;
CREATE INDEX changes_by_folder ON changes (folder);
ALTER TABLE prompts ADD COLUMN folders TEXT NOT NULL DEFAULT '[]';
ALTER TABLE prompts ADD COLUMN changes_to INTEGER NOT NULL DEFAULT 0;
ALTER TABLE prompts ADD COLUMN changed TEXT NOT NULL DEFAULT '[]';
ALTER TABLE runs ADD COLUMN changes_to INTEGER;
ALTER TABLE runs ADD COLUMN changed TEXT NOT NULL DEFAULT '[]';
`

/*
 * unread     contents that the last `runs` written runs of a prompt asked about and got nothing
 *            from. The row goes when the content is covered.
 * run_assets.times_unread   `runs` when the run was planned.
 * runs.empty why the answer of a written run is no report; NULL for an ordinary one.
 */
export const unread_schema = `
CREATE TABLE unread (
  prompt INTEGER NOT NULL,
  md5 BLOB NOT NULL,
  size INTEGER NOT NULL,
  runs INTEGER NOT NULL,
  PRIMARY KEY (prompt, md5, size)
) STRICT, WITHOUT ROWID;
ALTER TABLE run_assets ADD COLUMN times_unread INTEGER NOT NULL DEFAULT 0;
ALTER TABLE runs ADD COLUMN empty TEXT;
CREATE INDEX runs_written ON runs (prompt, due_ms) WHERE state = 'written';
`
