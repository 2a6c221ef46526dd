/*
 * What came to ledger.db with its third version, a block and a paragraph for each thing.
 *
 * stretches  pieces of a walk, from `after_path` (exclusive) to `through_path` (inclusive), that were exactly as the rows of `files`
 *            say, with a digest of what was walked: paths, sizes, times, inodes. While no row in a stretch is written, the same
 *            digest means that nothing there differs, and its rows are not read. Those of one folder never overlap.
 *
 * partings   where a path let go of a content: it holds another one (`changed`), is gone (`deleted`), or is none of our business any
 *            more (`let_go`). `policy`: what its folder said then, for a policy that comes later must not reach back. A content is
 *            removed there only where every one of its partings says so. `accepted`: a person said that it is right. A path that
 *            takes the content again has not parted from it.
 * folders.on_delete, on_change, delete_grace_ms   what the config says now.
 * contents.outdated_ms    since when no path holds it. contents_outdated has those that still answer.
 * contents.remove_due_ms  when it is to be looked at whether it may be removed on the service; NULL: it is kept. `remove_why`: what
 *            it waited for at the last look (domain/removal.ts).
 * removal_refusals  per project: the service does not remove assets, and what it answered. Gone with the first one it removes.
 *
 * folders.watcher      what the folder is watched by, `watch_reason` why; NULL: nobody has chosen yet.
 * folders.deaf_ms      when its watcher was given up for what scans found against it, `deaf_reason` what that was; NULL: it was not, or
 *                      it is watched again.
 *
 * contents.newest_ms   the newest change (mtime) of a file that held it, when it was wanted, in ms: what goes first.
 */
const stretches = `
CREATE TABLE stretches (
  folder INTEGER NOT NULL,
  through_path TEXT NOT NULL,
  after_path TEXT NOT NULL,
  digest TEXT NOT NULL,
  PRIMARY KEY (folder, through_path)
) STRICT, WITHOUT ROWID;
`

const removals = `
CREATE TABLE partings (
  folder INTEGER NOT NULL,
  path TEXT NOT NULL,
  content INTEGER NOT NULL,
  why TEXT NOT NULL,
  policy TEXT NOT NULL,
  at_ms INTEGER NOT NULL,
  accepted INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (folder, path, content)
) STRICT, WITHOUT ROWID;
CREATE INDEX partings_by_content ON partings (content);

ALTER TABLE folders ADD COLUMN on_delete TEXT NOT NULL DEFAULT 'keep';
ALTER TABLE folders ADD COLUMN on_change TEXT NOT NULL DEFAULT 'keep';
ALTER TABLE folders ADD COLUMN delete_grace_ms INTEGER NOT NULL DEFAULT 0;

ALTER TABLE contents ADD COLUMN outdated_ms INTEGER;
ALTER TABLE contents ADD COLUMN remove_due_ms INTEGER;
ALTER TABLE contents ADD COLUMN remove_why TEXT;
UPDATE contents SET outdated_ms = coalesce(ready_ms, wanted_ms)
  WHERE state = 'ready' AND NOT EXISTS (SELECT 1 FROM files WHERE content = contents.id AND files.state <> 'gone');
CREATE INDEX contents_outdated ON contents (outdated_ms, size) WHERE state = 'ready' AND outdated_ms IS NOT NULL;
CREATE INDEX contents_to_remove ON contents (remove_due_ms, remove_why) WHERE state = 'ready' AND remove_due_ms IS NOT NULL;
CREATE INDEX contents_removing ON contents (not_before_ms) WHERE state = 'removing';
CREATE INDEX files_unsettled_size ON files (size) WHERE state IN ('seen', 'blocked');

CREATE TABLE removal_refusals (
  project INTEGER PRIMARY KEY REFERENCES projects (id),
  code TEXT NOT NULL,
  message TEXT NOT NULL,
  since_ms INTEGER NOT NULL
) STRICT;
`

const watching = `
ALTER TABLE folders ADD COLUMN watcher TEXT;
ALTER TABLE folders ADD COLUMN watch_reason TEXT;
ALTER TABLE folders ADD COLUMN deaf_ms INTEGER;
ALTER TABLE folders ADD COLUMN deaf_reason TEXT;
`

const newest = `
ALTER TABLE contents ADD COLUMN newest_ms INTEGER NOT NULL DEFAULT 0;
UPDATE contents SET newest_ms = wanted_ms WHERE state IN ('wanted', 'reserving', 'reserved', 'sent');
CREATE INDEX contents_newest ON contents (newest_ms DESC, id, not_before_ms, size)
  WHERE state IN ('wanted', 'reserving', 'reserved', 'sent');
`

export const third = [stretches, removals, watching, newest].join('\n')
