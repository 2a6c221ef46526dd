/*
 * The course of the work, and what holds it up.
 *
 * audits     one row per project, made with it: the running round of the audit (`began_ms` is NULL
 *            between rounds), its progress (`cursor`, `listed`) and its counts.
 *   last     the last full round, as JSON (audit-work.ts).
 *   emptied_ms   when a round found so many assets gone that a user must check. NULL once a user
 *            has accepted it, or at the end of a round if fewer are gone then.
 *   restored_ms  when the ledger came back from a backup; NULL again after the next full round.
 *            Until then, Sluice itself may have removed assets that the ledger calls ready.
 * usage      per hour: contents that became wanted (for the upload limit), bytes sent (for the
 *            daily limit), and removals by folder (rows/counts.ts).
 * history    events of contents, for users: the facts with `is_history` in fact-table.ts. Workers
 *            never read it.
 * hosts      `blob`: the origin of the newest upload URL, kept when the service gives it. `doctor`
 *            tries to reach it. A path or a query is never kept, because these are secrets.
 * troubles   problems beyond a single file, for status.
 * pause      at most one row: a user has paused outgoing work. After `until_ms` nothing is paused.
 * at_work    at most one row: the time until which a watching daemon is known to have worked.
 * absences   times without a working daemon (`away`; the first one begins at 0), and times that a
 *            user had paused (`paused`). Work that comes due in them is not late because of them.
 * wall_clock at most one row: the newest time seen, to notice that the clock was turned back.
 *            `back_from_ms` and `back_to_ms`: the clock was turned back from the one to the other,
 *            and has not reached the first again; NULL if it has. After several such changes, the
 *            latest `back_from_ms` and the earliest `back_to_ms`.
 */
export const course_schema = `
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
  last TEXT,
  emptied_ms INTEGER,
  restored_ms INTEGER
) STRICT;

CREATE TRIGGER audits_of_projects AFTER INSERT ON projects BEGIN
  INSERT INTO audits (project) VALUES (new.id);
END;

CREATE TABLE usage (
  what TEXT NOT NULL,
  hour_ms INTEGER NOT NULL,
  files INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  PRIMARY KEY (what, hour_ms)
) STRICT, WITHOUT ROWID;

CREATE TABLE history (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  at_ms INTEGER NOT NULL,
  content INTEGER NOT NULL,
  event TEXT NOT NULL,
  detail TEXT
) STRICT;
CREATE INDEX history_by_content ON history (content);

CREATE TABLE hosts (
  what TEXT PRIMARY KEY,
  origin TEXT NOT NULL,
  since_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE troubles (
  about TEXT PRIMARY KEY,
  code TEXT NOT NULL,
  message TEXT NOT NULL,
  hint TEXT,
  since_ms INTEGER NOT NULL,
  last_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

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

CREATE TABLE wall_clock (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  newest_ms INTEGER NOT NULL,
  back_from_ms INTEGER,
  back_to_ms INTEGER
) STRICT;
`
