/*
 * What lies in the folders, and where each content stands. Times are Unix milliseconds (`*_ms`), file times Unix nanoseconds
 * (`*_ns`). Paths are UTF-8 and relative to their folder's root; SQLite compares TEXT by bytes, which is the order in which the
 * walker goes.
 *
 * projects   the project ids that folders point to; a small number stands for each in the rows of contents.
 *
 * folders    one row a configured folder. One that left the config keeps its rows (`configured` 0), so that taking it back
 *            sends nothing again.
 *   device, identity   what its root was when it was last online (disk/root/mount.ts). A device number is given again to the
 *            next disk; it is text, for it has 64 bits. NULL: not known yet, or its filesystem tells of none.
 *   disappearance   what a folder that waits for a person is asked about: the root that stood there, how many known files were
 *            found, and whether a person accepted it. NULL again after the next whole scan.
 *   kept_ms  since when it is in the configuration, with this project, without a break.
 *   moved_ms since when it has another root, or is configured again; NULL once it was scanned as a whole since. Until then
 *            nothing in it counts as deleted or changed: it is another place.
 *   on_delete, on_change, delete_grace_ms   what the config says now.
 *   watch    what it is watched by, and why; since when its watcher is given up, and why. NULL: nobody has chosen yet.
 *   deafness how often its watcher was replaced or given up because of what scans found against it.
 *   `disappearance`, `scan_summary`, `watch` and `deafness` are JSON (rows/folder-row.ts).
 *
 * files      one row a path that is not ignored. `content` is what the path holds (`present`) or last held (other states).
 *   there_ms set where the bytes were there before the folder was kept: met by its first scan, with a ctime not later than
 *            folders.started_ms; the ctime, in ms. Where the folder was given another project: when they were first seen.
 *            NULL: they came. Kept for as long as the bytes are the same, whatever else happens to the file.
 *   gone_ms  in a row that is not `gone`: the file was, or lay under another root; it holds nothing until its bytes are known.
 *   left_out_after   of a `skipped` row: the highest id of a content when the file was left out as it lies there, for contents
 *            that came later are not it; NULL: not left out.
 *   files_by_content leads from a content to its copies: whether one is still there, and since when the oldest is, are found
 *            without a look at the others. A folder may hold thousands of equal files.
 *   files_to_look_in what is to be looked at, of one folder, the large (`large_bytes` of the domain) apart from the others:
 *            whoever waits for a large file or for a folder reads none of those that wait behind it.
 *   files_skipped_size   as files_unsettled_size, of files that are left out: one of them may be the file that is gone, under
 *            another name.
 *
 * contents   one row per (project, md5, size): equal bytes at ten paths are one upload. The only index on md5.
 *   queue    whose work it is now (content-queue.ts); NULL: nobody's. It follows `state`, and stands apart from it for the sake
 *            of the indexes: SQLite takes a row out of every index whose condition names a column that is written, and puts it
 *            in again. A content goes from `wanted` to `sent` by three states, and stays where it is in these.
 *   newest_ms  the newest change (mtime) of a file that held it, when it was wanted: what goes first.
 *   slot_failures    failures in a row on the slot that it has now. `failing_since_ms`: when the first of the failures that
 *            `attempts` counts happened; NULL: none.
 *   audited_round    the last round of the audit in which it was seen to be ready on the service, or became so; negative: in
 *            that round it was found being read again.
 *   outdated_ms      since when no path holds it. contents_outdated has those that still answer.
 *   remove_due_ms    when it is to be looked at whether it may be removed on the service; NULL: it is kept. `remove_why`: what
 *            it waited for at the last look (domain/removal.ts).
 *
 * arrivals   UNIQUE (folder, content): the first time that a content became usable through this folder. `seq` is the order of
 *            arrival, by a counter and never by a clock. A rename, a copy or an edit and its revert makes no new arrival.
 *            `there_ms`: that of the oldest of its files, when it arrived. Prompts with first_run: from_now leave it out.
 * asset_labels   the labels that we attached. Labels that people attached are not here and are never touched.
 * label_intents  labels whose attach or detach began and has no recorded answer: the asset may carry them or not.
 * counts     (folder, stage) -> files, bytes; changed in the same transaction as the rows. The stage of a present file is its
 *            content's state, of any other file its own.
 * stretches  pieces of a walk, from `after_path` (exclusive) to `through_path` (inclusive), that were exactly as the rows of
 *            `files` say, with a digest of what was walked: paths, sizes, times, inodes. While no row in a stretch is written,
 *            the same digest means that nothing there differs. Those of one folder never overlap.
 * partings   where a path let go of a content: it holds another one (`changed`), is gone (`deleted`), or is none of our business
 *            any more (`let_go`). `policy`: what its folder said then, for a policy that comes later must not reach back. A
 *            content is removed there only where every one of its partings says so. `accepted`: a person said that it is right.
 *            A path that takes the content again has not parted from it.
 * removal_refusals   per project: the service does not remove assets, and what it answered. Gone with the first one it removes.
 */
export const files_schema = `
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
  device TEXT,
  identity TEXT,
  offline_reason TEXT,
  state_since_ms INTEGER NOT NULL,
  started_ms INTEGER NOT NULL,
  kept_ms INTEGER NOT NULL,
  moved_ms INTEGER,
  disappearance TEXT,
  first_scan_ms INTEGER,
  scan_began_ms INTEGER,
  scan_ended_ms INTEGER,
  scan_wanted_ms INTEGER,
  scan_summary TEXT,
  watch TEXT,
  deafness TEXT NOT NULL,
  on_delete TEXT NOT NULL,
  on_change TEXT NOT NULL,
  delete_grace_ms INTEGER NOT NULL
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
  there_ms INTEGER,
  left_out_after INTEGER,
  PRIMARY KEY (folder, path)
) STRICT, WITHOUT ROWID;
CREATE INDEX files_to_look_at ON files (not_before_ms) WHERE state IN ('seen', 'blocked') AND not_before_ms IS NOT NULL;
CREATE INDEX files_gone ON files (gone_ms) WHERE state = 'gone';
CREATE INDEX files_before_start ON files (folder, inode) WHERE reason = 'before_start';
CREATE INDEX files_unsettled ON files (folder, path) WHERE state IN ('seen', 'blocked');
CREATE INDEX files_blocked ON files (folder, reason, path, size) WHERE state = 'blocked';
CREATE INDEX files_unsettled_size ON files (size) WHERE state IN ('seen', 'blocked');
CREATE INDEX files_by_content ON files (content, state, folder, there_ms) WHERE content IS NOT NULL;
CREATE INDEX files_skipped_size ON files (size) WHERE state = 'skipped' AND reason <> 'empty';
CREATE INDEX files_to_look_in ON files (folder, (size >= 16777216), not_before_ms)
  WHERE state IN ('seen', 'blocked') AND not_before_ms IS NOT NULL;

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
  slot_failures INTEGER NOT NULL DEFAULT 0,
  vanished INTEGER NOT NULL DEFAULT 0,
  error_code TEXT,
  error_message TEXT,
  wanted_ms INTEGER NOT NULL,
  intended_ms INTEGER,
  sent_ms INTEGER,
  following_since_ms INTEGER,
  ready_ms INTEGER,
  labels_due_ms INTEGER,
  audited_round INTEGER,
  outdated_ms INTEGER,
  remove_due_ms INTEGER,
  remove_why TEXT,
  newest_ms INTEGER NOT NULL DEFAULT 0,
  queue TEXT,
  failing_since_ms INTEGER,
  UNIQUE (md5, size, project)
) STRICT;
CREATE INDEX contents_to_complete ON contents (not_before_ms, id) WHERE state = 'sent';
CREATE INDEX contents_to_follow ON contents (not_before_ms, id) WHERE state = 'ingesting';
CREATE INDEX contents_to_label ON contents (labels_due_ms) WHERE state = 'ready' AND labels_due_ms IS NOT NULL;
CREATE INDEX contents_in_need ON contents (id) WHERE state IN ('refused', 'removed_on_service');
CREATE INDEX contents_by_asset ON contents (asset_id) WHERE asset_id IS NOT NULL;
CREATE INDEX contents_outdated ON contents (outdated_ms, size) WHERE state = 'ready' AND outdated_ms IS NOT NULL;
CREATE INDEX contents_to_remove ON contents (remove_due_ms, remove_why) WHERE state = 'ready' AND remove_due_ms IS NOT NULL;
CREATE INDEX contents_removing ON contents (not_before_ms) WHERE state = 'removing';
CREATE INDEX contents_to_send ON contents (not_before_ms, id) WHERE queue = 'send';
CREATE INDEX contents_newest ON contents (newest_ms DESC, id, not_before_ms, size) WHERE queue = 'send';
CREATE INDEX contents_waiting ON contents (wanted_ms) WHERE queue IS NOT NULL;
CREATE INDEX contents_failing ON contents (failing_since_ms) WHERE failing_since_ms IS NOT NULL;

CREATE TABLE arrivals (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  folder INTEGER NOT NULL,
  content INTEGER NOT NULL,
  at_ms INTEGER NOT NULL,
  there_ms INTEGER,
  UNIQUE (folder, content)
) STRICT;

CREATE TABLE asset_labels (
  content INTEGER NOT NULL,
  name TEXT NOT NULL,
  label_id TEXT NOT NULL,
  PRIMARY KEY (content, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE label_intents (
  content INTEGER NOT NULL,
  name TEXT NOT NULL,
  PRIMARY KEY (content, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE counts (
  folder INTEGER NOT NULL,
  stage TEXT NOT NULL,
  files INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  PRIMARY KEY (folder, stage)
) STRICT, WITHOUT ROWID;

CREATE TABLE stretches (
  folder INTEGER NOT NULL,
  through_path TEXT NOT NULL,
  after_path TEXT NOT NULL,
  digest TEXT NOT NULL,
  PRIMARY KEY (folder, through_path)
) STRICT, WITHOUT ROWID;

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

CREATE TABLE removal_refusals (
  project INTEGER PRIMARY KEY REFERENCES projects (id),
  code TEXT NOT NULL,
  message TEXT NOT NULL,
  since_ms INTEGER NOT NULL
) STRICT;
`
