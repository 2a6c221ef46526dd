import type { Migration } from '../base/sqlite.ts'
import { eighth } from './eighth-schema.ts'
import { fifth } from './fifth-schema.ts'
import { first_ledger_schema } from './first-schema.ts'
import { fourth } from './fourth-schema.ts'
import { ninth } from './ninth-schema.ts'
import { seventh } from './seventh-schema.ts'
import { sixth } from './sixth-schema.ts'
import { third } from './third-schema.ts'

/*
 * What came to ledger.db after its first version. A table or column is explained here, as those of the first are in
 * first-schema.ts.
 *
 * hosts   `blob`: the origin that uploads last went to, so that `doctor` can try it; never a path or a query, which are secrets.
 * files.there_ms      set where the bytes were there before the folder was kept: met by its first look, with a ctime not later than
 *                     folders.started_ms; the ctime, in ms. Where the folder was given another project: when they were first seen.
 *                     NULL: they came. Kept for as long as the bytes are the same, whatever else happens to the file.
 * arrivals.there_ms   the oldest of its files, when it arrived. Prompts with first_run: from_now leave it out; see prompt-queries.ts.
 * prompts.restored_ms since when there was the prompt, as far as manifests told this ledger: its begin, else the due time of its oldest run.
 * contents_waiting  the content that has waited longest is the first of it: health asks for it every few seconds.
 * alerts  what was told when the health changed, newest last. `reasons`: what stood then, so that the next life neither tells it
 *         again nor forgets that it was told.
 * alert_deliveries  (alert, target): each is retried on its own, as those of reports are.
 * prompt_stays   where a prompt stood in a project that it left, so that it goes on from there when it is given it again.
 * pause   at most one row: a person stopped what goes out. A time in `until_ms` that is over means: not paused.
 * deliveries.own_id  1: its id is made of the run and its target. 0: of the run alone, as all were when it was first wanted.
 * deliveries.output  the end of what the command of the last try wrote.
 * at_work   until when a daemon that watches is known to have been at work; at most one row.
 * absences  when none was (`away`; from 0 on before the first), and when a person had paused it: what comes due in them cannot
 *           be late for their sake.
 * folders.kept_ms   since when the folder is in the configuration, with this project, without a break. NULL: since started_ms.
 * audits     one row a project: the running round of the audit (`began_ms` NULL between two), how far it is (`cursor`, `listed`)
 *            and what it counted, and the same of the last full one (`last_*`). `contents.audited_round` is the last round in which
 *            the content was seen to be ready on the service, or became so; negative: in that round it was found being read again.
 *            `emptied_ms`: when a round found so much gone at once that a person must look; NULL once a person said that it is right.
 */
const second = `
CREATE TABLE hosts (
  what TEXT PRIMARY KEY,
  origin TEXT NOT NULL,
  since_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

ALTER TABLE files ADD COLUMN there_ms INTEGER;
ALTER TABLE arrivals ADD COLUMN there_ms INTEGER;
ALTER TABLE prompts ADD COLUMN restored_ms INTEGER;
UPDATE files SET there_ms = files.ctime_ns / 1000000 FROM folders
  WHERE folders.id = files.folder AND files.seen_ms <= coalesce(folders.first_scan_ms, files.seen_ms)
    AND files.ctime_ns / 1000000 <= folders.started_ms;
UPDATE arrivals SET there_ms =
  (SELECT min(there_ms) FROM files WHERE files.content = arrivals.content AND files.folder = arrivals.folder);
CREATE INDEX contents_waiting ON contents (wanted_ms) WHERE state IN ('wanted', 'reserving', 'reserved', 'sent', 'ingesting');
CREATE TABLE alerts (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  message_id TEXT NOT NULL,
  at_ms INTEGER NOT NULL,
  subject TEXT NOT NULL,
  text TEXT NOT NULL,
  reasons TEXT NOT NULL
) STRICT;
CREATE TABLE alert_deliveries (
  alert INTEGER NOT NULL,
  target TEXT NOT NULL,
  state TEXT NOT NULL,
  attempts INTEGER NOT NULL DEFAULT 0,
  not_before_ms INTEGER NOT NULL,
  wanted_ms INTEGER NOT NULL,
  done_ms INTEGER,
  error_code TEXT,
  error_message TEXT,
  PRIMARY KEY (alert, target)
) STRICT, WITHOUT ROWID;
CREATE INDEX alert_deliveries_due ON alert_deliveries (not_before_ms) WHERE state = 'wanted';

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

ALTER TABLE deliveries ADD COLUMN own_id INTEGER NOT NULL DEFAULT 0;
ALTER TABLE deliveries ADD COLUMN output TEXT;

CREATE TABLE pause (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  since_ms INTEGER NOT NULL,
  until_ms INTEGER,
  by_whom TEXT NOT NULL,
  why TEXT
) STRICT;

CREATE TABLE at_work (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  until_ms INTEGER NOT NULL
) STRICT;
CREATE TABLE absences (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  why TEXT NOT NULL,
  from_ms INTEGER NOT NULL,
  to_ms INTEGER NOT NULL
) STRICT;
ALTER TABLE folders ADD COLUMN kept_ms INTEGER;

ALTER TABLE contents ADD COLUMN audited_round INTEGER;
CREATE INDEX contents_by_asset ON contents (asset_id) WHERE asset_id IS NOT NULL;

CREATE TABLE audits (
  project INTEGER PRIMARY KEY REFERENCES projects (id),
  round INTEGER NOT NULL DEFAULT 0,
  wanted INTEGER NOT NULL DEFAULT 0,
  asked INTEGER NOT NULL DEFAULT 0,
  began_ms INTEGER,
  cursor TEXT,
  listed INTEGER NOT NULL DEFAULT 0,
  pages INTEGER NOT NULL DEFAULT 0,
  usable INTEGER NOT NULL DEFAULT 0,
  unready INTEGER NOT NULL DEFAULT 0,
  failed INTEGER NOT NULL DEFAULT 0,
  missing INTEGER NOT NULL DEFAULT 0,
  unknown INTEGER NOT NULL DEFAULT 0,
  slots INTEGER NOT NULL DEFAULT 0,
  last_began_ms INTEGER,
  last_ended_ms INTEGER,
  last_pages INTEGER,
  last_usable INTEGER,
  last_unready INTEGER,
  last_failed INTEGER,
  last_missing INTEGER,
  last_unanswered INTEGER,
  last_unknown INTEGER,
  last_slots INTEGER,
  emptied_ms INTEGER
) STRICT;
`

export const ledger_migrations: readonly Migration[] = [
  { version: 1, sql: first_ledger_schema },
  { version: 2, sql: second },
  { version: 3, sql: third },
  { version: 4, sql: fourth },
  { version: 5, sql: fifth },
  { version: 6, sql: sixth },
  { version: 7, sql: seventh },
  { version: 8, sql: eighth },
  { version: 9, sql: ninth },
]
export const ledger_version = ledger_migrations.length

/*
 * tickets.db, apart from the ledger so that backups and logs never see it, with secure_delete. A ticket lost in a power cut
 * costs one slot, so its commits need not reach the platter: synchronous NORMAL.
 */
const tickets = `
CREATE TABLE tickets (
  content INTEGER PRIMARY KEY,
  asset_id TEXT NOT NULL,
  upload_url TEXT NOT NULL,
  upload_method TEXT NOT NULL,
  upload_headers TEXT NOT NULL,
  expires_at_ms INTEGER NOT NULL
) STRICT;
`

export const ticket_migrations: readonly Migration[] = [{ version: 1, sql: tickets }]
export const tickets_version = ticket_migrations.length
