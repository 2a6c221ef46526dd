/*
 * The files in the folders, and the state of each content. Times are Unix milliseconds (`*_ms`),
 * times of files are Unix nanoseconds (`*_ns`). Paths are UTF-8 and relative to the root of their
 * folder. SQLite compares TEXT by bytes, and a scan goes in the same order.
 *
 * projects   the project ids of folders and prompts. Other tables name a project by its `id`.
 *
 * folders    one row per folder that was ever configured. A folder that left the config keeps its
 *            rows (`configured` is 0), so that nothing is uploaded again if it returns.
 *   device, identity   of the root when it was last online (domain/root-identity.ts); NULL if
 *            not known. `device` is TEXT because it has 64 bits.
 *   disappearance   what a waiting folder asks the user to confirm (domain/disappearance.ts). NULL
 *            again after the next complete scan.
 *   kept_ms  since when the folder has been configured with this project, without interruption.
 *   moved_ms when it got another root, or was configured again; NULL after a complete scan that
 *            began later. Until then nothing in it counts as deleted or changed, because it may be
 *            another place.
 *   `disappearance`, `scan_summary`, `watch` and `watcher_changes` are JSON (rows/folder-row.ts).
 *
 * files      one row per path that is not ignored. `content` is what the path holds (`present`), or
 *            what it held last (other states).
 *   there_ms set if the bytes were there before the folder was configured: the first scan found
 *            them, with a ctime not later than folders.started_ms. The value is that ctime, in ms.
 *            If the folder got another project: when the files were first seen. NULL if the bytes
 *            came later. It stays as long as the bytes are the same.
 *   since_ms (a later column), gone_ms, left_out_after   see FileRow in rows/file-rows.ts.
 *   files_by_content shows whether a content has a copy, and since when the oldest is there. A
 *            folder may hold thousands of equal files, which need not be read for that.
 *   files_to_check_in   has large files (`large_bytes` in domain/file.ts) apart. A claim that
 *            leaves out a folder, or its large files, does not read their rows.
 *   files_unsettled_size, files_skipped_size   find the files of one size whose bytes are not
 *            known. One of them may be a file that is gone, under another name.
 *
 * contents   one row per (project, md5, size): equal bytes at ten paths are one upload. It has the
 *            only index on md5.
 *   queue    the worker whose turn it is by `state` (rows/content-rows.ts); NULL if none. SQLite
 *            takes a row out of each index whose condition names a written column, and puts it in
 *            again. With `queue`, the three changes of state up to `sent` do not cause that.
 *   newest_ms  the newest mtime of its files when they made it wanted. `newest_first` sends the
 *            highest first.
 *   slot_failures    failures in a row on its present slot.
 *   failing_since_ms time of the first failure that `attempts` counts; NULL without one.
 *   audited_round    the last round of the audit that saw it ready on the service, or in which it
 *            became ready. Negative if the service was reading it again in that round.
 *   outdated_ms      since when no path holds it. The index contents_outdated has those that are
 *            still ready: the service uses them in answers.
 *   remove_due_ms    when to check whether it may be removed on the service; NULL if it is kept.
 *            `remove_why`: what it waited for at the last check (domain/removal.ts).
 *
 * types      the files with one extension (in lower case, '' without one) in one project.
 *   rests    what the service says of contents of this type that it refuses on create; '' if it is
 *            tried again after that, and was not taken yet; NULL else. `answer`: the code of that
 *            answer. NULL if an earlier version did not keep it.
 *   failed   JSON of the first contents that failed, each once. With `max_failed_of_type` of them
 *            (domain/file-type.ts) the type is refused, unless it is accepted or usable.
 *
 * arrivals   UNIQUE (folder, content): the first time that a content became usable through this
 *            folder. `seq` is the order of arrival; it comes from a counter, never from a clock. A
 *            rename, a copy, or an edit and its revert makes no new arrival. `there_ms`: the oldest
 *            one of its files at that time. Prompts with first_run: from_now leave out such
 *            arrivals.
 * asset_labels   labels that Sluice attached. Those of users are not here and never changed.
 * label_intents  labels whose attach or detach has no recorded answer. The asset may have them or
 *            not.
 * counts     files and bytes by (folder, stage), changed in the transaction that changes the rows.
 *            The stage of a present file is the state of its content; of any other file, its own.
 * known_ranges  ranges of a scan, from `after_path` (exclusive) to `through_path` (inclusive), that
 *            were exactly as the rows of `files` say. `digest` covers what the scan found: paths,
 *            sizes, times, inodes. While no row in a range is written, the same digest means that
 *            nothing in it differs. Ranges of one folder never overlap.
 * partings   a path that no longer holds a content: it holds another one (`changed`), is gone
 *            (`deleted`), or is no longer Sluice's concern (`let_go`). `policy`: the setting of its
 *            folder at that time, because a later setting must not reach back. A content is removed
 *            on the service only if all its partings say `remove`. `accepted`: a user confirmed the
 *            removal. A path that holds the content again has no parting from it.
 * removal_refusals   projects whose assets the service does not remove, with its answer. The row
 *            goes with the first asset that the service removes.
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
  watcher_changes TEXT NOT NULL,
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
CREATE INDEX files_to_check ON files (not_before_ms) WHERE state IN ('seen', 'blocked') AND not_before_ms IS NOT NULL;
CREATE INDEX files_gone ON files (gone_ms) WHERE state = 'gone';
CREATE INDEX files_before_start ON files (folder, inode) WHERE reason = 'before_start';
CREATE INDEX files_unsettled ON files (folder, path) WHERE state IN ('seen', 'blocked');
CREATE INDEX files_blocked ON files (folder, reason, path, size) WHERE state = 'blocked';
CREATE INDEX files_unsettled_size ON files (size) WHERE state IN ('seen', 'blocked');
CREATE INDEX files_by_content ON files (content, state, folder, there_ms) WHERE content IS NOT NULL;
CREATE INDEX files_skipped_size ON files (size) WHERE state = 'skipped' AND size > 0;
CREATE INDEX files_to_check_in ON files (folder, (size >= 16777216), not_before_ms)
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
  any_type INTEGER NOT NULL DEFAULT 0,
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
CREATE INDEX contents_in_need ON contents (id) WHERE state IN ('refused', 'type_refused', 'removed_on_service');
CREATE INDEX contents_by_asset ON contents (asset_id) WHERE asset_id IS NOT NULL;
CREATE INDEX contents_outdated ON contents (outdated_ms, size) WHERE state = 'ready' AND outdated_ms IS NOT NULL;
CREATE INDEX contents_to_remove ON contents (remove_due_ms, remove_why) WHERE state = 'ready' AND remove_due_ms IS NOT NULL;
CREATE INDEX contents_removing ON contents (not_before_ms) WHERE state = 'removing';
CREATE INDEX contents_to_send ON contents (not_before_ms, id) WHERE queue = 'send';
CREATE INDEX contents_newest ON contents (newest_ms DESC, id, not_before_ms, size) WHERE queue = 'send';
CREATE INDEX contents_waiting ON contents (wanted_ms) WHERE queue IS NOT NULL;
CREATE INDEX contents_failing ON contents (failing_since_ms) WHERE failing_since_ms IS NOT NULL;

CREATE TABLE types (
  project INTEGER NOT NULL,
  extension TEXT NOT NULL,
  state TEXT NOT NULL,
  failed TEXT NOT NULL,
  tried_ms INTEGER NOT NULL,
  PRIMARY KEY (project, extension)
) STRICT, WITHOUT ROWID;

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

CREATE TABLE known_ranges (
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
