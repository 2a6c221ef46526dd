/*
 * How it went, and what holds it up.
 *
 * audits     one row a project, made with it: the running round of the audit (`began_ms` NULL between two), its progress
 *            (`cursor`, `listed`) and its counts. `last`: the last full round, as JSON (rows/audit-rows.ts). `emptied_ms`: when a
 *            round found so much gone at once that a person must look; NULL once a person accepted it. `restored_ms`: when the
 *            ledger came back from a backup, until a full round has ended: we may have removed since what it calls ready.
 * usage      per hour: contents first wanted (the brake) and bytes sent (the daily limit).
 * history    from `reserved` on, narrow, for people. Never read by workers.
 * hosts      `blob`: the origin that uploads last went to, so that `doctor` can try it; never a path or a query, which are secrets.
 * troubles   what is wrong beyond any one file, for status.
 * pause      at most one row: a person stopped what goes out. A time in `until_ms` that is over means: not paused.
 * at_work    until when a daemon that watches is known to have been at work; at most one row.
 * absences   when none was (`away`; from 0 on before the first), and when a person had paused it: what comes due in them cannot
 *            be late for their sake.
 * wall_clock one row: the newest time that was seen, to notice that the clock was set back. `back_from_ms`, `back_to_ms`: it was
 *            set back from there to there, and has not come back to where it was; both NULL when it has. Of more than one such
 *            the latest and the earliest.
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
