import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openSqlite, type Sqlite } from '../../../src/base/files/sqlite.ts'
import { ledger_migrations } from '../../../src/ledger/file/ledger-file.ts'
import { makeStore } from '../../rig/tree.ts'
import { allBroken } from '../broken-rules.ts'

let ledger: Sqlite

/**
 * Two files with one ready content, one that waits for its next check, and a prompt with a written
 * run.
 */
const sound = `
  INSERT INTO projects VALUES (1, 'project_a');
  INSERT INTO folders (id, name, root, project, labels, label_from, rules, configured, state_since_ms, started_ms, kept_ms, watcher_changes,
    on_delete, on_change, delete_grace_ms) VALUES (1, 'docs', '/docs', 1, '[]', 'none', '', 1, 0, 0, 0, '{}', 'keep', 'keep', 0);
  INSERT INTO contents (id, project, md5, size, state, asset_id, not_before_ms, wanted_ms) VALUES
    (1, 1, zeroblob(16), 5, 'ready', 'asset_1', 0, 0), (2, 1, randomblob(16), 5, 'abandoned', NULL, 0, 0);
  INSERT INTO files (folder, path, state, size, mtime_ns, ctime_ns, inode, content, seen_ms, not_before_ms) VALUES
    (1, 'a.txt', 'present', 5, 1, 1, 1, 1, 0, NULL), (1, 'b.txt', 'present', 5, 1, 1, 2, 1, 0, NULL),
    (1, 'c.txt', 'seen', 7, 1, 1, 3, NULL, 0, 9);
  INSERT INTO counts VALUES (1, 'ready', 2, 10), (1, 'seen', 1, 7), (1, 'gone', 0, 0);
  INSERT INTO arrivals (folder, content, at_ms) VALUES (1, 1, 0);
  INSERT INTO asset_labels VALUES (1, 'a label', 'label_1');
  INSERT INTO partings VALUES (1, 'd.txt', 2, 'deleted', 'keep', 0, 0);
  INSERT INTO prompts (id, name, project, schedule, configured, began_ms, began_seq, checked_ms) VALUES (1, 'digest', 1, '', 1, 0, 0, 0);
  INSERT INTO runs (id, prompt, due_ms, cause, state, began_ms, not_before_ms) VALUES (4, 1, 0, 'schedule', 'written', 0, 0);
  INSERT INTO run_assets VALUES (4, 0, 1, 'asset_1', x'00', 1, 'a', 1, 0, 0, 0);
  INSERT INTO deliveries (run, target, state, not_before_ms, wanted_ms) VALUES (4, 'file', 'done', 0, 0);
  INSERT INTO alerts VALUES (1, 'alert_1', 0, '', '', '[]');
  INSERT INTO deliveries (alert, target, state, not_before_ms, wanted_ms) VALUES (1, 'file', 'done', 0, 0);
  INSERT INTO covered VALUES (1, zeroblob(16), 5, 'asset', 4), (1, zeroblob(16), 6, 'asset', NULL), (1, zeroblob(16), 7, 'asset', 3);
`

beforeAll(() => {
  const file = join(makeStore(), 'ledger.db')
  ledger = openSqlite({ file, migrations: ledger_migrations, synchronous: 'NORMAL' })
  ledger.pragma('foreign_keys = OFF')
  ledger.exec(sound)
})
afterAll(() => ledger.close())

test('a sound ledger breaks no rule, also with trimmed runs and contents covered by manifests', () => {
  expect(allBroken(ledger)).toEqual([])
})

test.each([
  [
    'a present file has no content',
    `UPDATE files SET content = NULL WHERE path = 'a.txt'`,
    'docs/a.txt',
  ],
  [
    'a file is of a content that the ledger does not have',
    `UPDATE files SET content = 77, state = 'gone', gone_ms = 1 WHERE path = 'a.txt'`,
    'docs/a.txt',
  ],
  [
    'a file is of a folder that the ledger does not have',
    'UPDATE files SET folder = 9',
    'folder 9/a.txt',
  ],
  [
    'a file has an unknown state',
    `UPDATE files SET state = 'lost' WHERE path = 'c.txt'`,
    'docs/c.txt',
  ],
  [
    'a present file has another size than its content',
    `UPDATE files SET size = 6 WHERE path = 'a.txt'`,
    'docs/a.txt',
  ],
  [
    'a file waits for its next check and is never due',
    'UPDATE files SET not_before_ms = NULL',
    'docs/c.txt',
  ],
  [
    'a file is left out or blocked for no reason',
    `UPDATE files SET state = 'blocked' WHERE path = 'c.txt'`,
    'docs/c.txt',
  ],
  [
    'a file is gone since no time',
    `UPDATE files SET state = 'gone' WHERE path = 'a.txt'`,
    'docs/a.txt',
  ],
  [
    'a ready file never arrived in its folder, so no prompt sees it',
    'DELETE FROM arrivals',
    'docs/a.txt',
  ],
  ['a content has an unknown state', `UPDATE contents SET state = 'odd' WHERE id = 2`, 'content 2'],
  [
    'a content is of a project that the ledger does not have',
    'UPDATE contents SET project = 5 WHERE id = 2',
    'content 2',
  ],
  [
    'a content is in the queue of another state',
    `UPDATE contents SET queue = 'send' WHERE id = 1`,
    'content 1',
  ],
  [
    'a content that the service has is of no asset',
    'UPDATE contents SET asset_id = NULL',
    'content 1',
  ],
  [
    'a content is refused for no reason',
    `UPDATE contents SET state = 'refused' WHERE id = 2`,
    'content 2',
  ],
  ['a content has no whole md5', `UPDATE contents SET md5 = x'00' WHERE id = 2`, 'content 2'],
  [
    'a count that status shows differs from the files',
    `UPDATE counts SET files = 1 WHERE stage = 'ready'`,
    'docs: ready',
  ],
  [
    'an arrival is of a content that the ledger does not have',
    'INSERT INTO arrivals (folder, content, at_ms) VALUES (1, 8, 0)',
    'arrivals of 8',
  ],
  [
    'an arrival is in a folder that the ledger does not have',
    'INSERT INTO arrivals (folder, content, at_ms) VALUES (8, 1, 0)',
    'arrivals of 8',
  ],
  [
    'a file parted from a content that the ledger does not have',
    'UPDATE partings SET content = 8',
    'partings of 8',
  ],
  [
    'a label is of a content that the ledger does not have',
    'UPDATE asset_labels SET content = 8',
    'asset_labels of 8',
  ],
  [
    'a label in doubt is of a content that the ledger does not have',
    `INSERT INTO label_intents VALUES (8, 'a label')`,
    'label_intents of 8',
  ],
  [
    'a content counts as labelled while one of its labels is in doubt',
    `INSERT INTO label_intents VALUES (1, 'a label'); UPDATE folders SET labels = '["a label"]'`,
    'content 1',
  ],
  [
    'a part of a run (run_assets) is of a run that the ledger does not have',
    'UPDATE run_assets SET run = 8',
    'run_assets of 8',
  ],
  [
    'a part of a run (deliveries) is of a run that the ledger does not have',
    'UPDATE deliveries SET run = 8 WHERE run = 4',
    'deliveries of 8',
  ],
  [
    'a delivery is of an alert that the ledger does not have',
    'DELETE FROM alerts',
    'deliveries of 1',
  ],
  [
    'what a report covered is of a prompt that the ledger does not have',
    'UPDATE covered SET prompt = 8 WHERE size = 6',
    'covered of 8',
  ],
  [
    'what a report covered is of a run whose report was never written',
    `UPDATE runs SET state = 'asked'`,
    'run 4',
  ],
  [
    'what a report covered is of a run that never was',
    'UPDATE covered SET run = 99 WHERE size = 7',
    'run 99',
  ],
  [
    'a row names one that the ledger does not have',
    'UPDATE folders SET project = 8',
    'folders of projects',
  ],
])('%s', (what, damage, example) => {
  ledger.exec('BEGIN')
  try {
    ledger.exec(damage)
    const broken = allBroken(ledger)
    expect(broken[0]).toMatchObject({ what, example })
    // A change of a file's state without its count breaks the rule of the counts as well.
    const others = broken
      .slice(1)
      .filter((rule) => rule.what !== 'a count that status shows differs from the files')
    expect(others).toEqual([])
  } finally {
    ledger.exec('ROLLBACK')
  }
})
