import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openSqlite, openSqliteReadOnly } from '../../src/base/sqlite.ts'
import { ledger_migrations, ledger_version } from '../../src/ledger/migrations.ts'
import { openFreshView } from '../../src/ledger/view-fresh.ts'
import { makeTree } from '../tree.ts'

/** A ledger as the first version left it: a folder with an archive, half of it sent, and a folder that was never seen. */
const of_the_first = `
INSERT INTO projects VALUES (1, 'project_aaaaaaaaaaaaaaaaaaaa');
INSERT INTO folders (id, name, root, project, labels, label_from, rules, configured, state_since_ms, started_ms, first_scan_ms)
  VALUES (1, 'docs', '/srv/docs', 1, '[]', 'none', '{}', 1, 1000, 1000, 5000), (2, 'away', '/srv/away', 1, '[]', 'none', '{}', 1, 1000, 1000, NULL);
UPDATE folders SET empty_accepted = 1, offline_reason = '0 of 40 files found: waiting; if that is right: sluice accept docs' WHERE id = 1;
INSERT INTO files (folder, path, state, size, mtime_ns, ctime_ns, inode, content, seen_ms) VALUES
  (1, 'archive', 'present', 1, 1, 700000000, 1, 1, 2000),
  (1, 'archive on its way', 'present', 1, 1, 800000000, 2, 2, 2000),
  (1, 'copy that came', 'present', 1, 1, 6000000000, 3, 2, 6000),
  (1, 'during the first look', 'present', 1, 1, 1500000000, 4, 3, 2000),
  (1, 'moved in', 'present', 1, 1, 700000000, 5, 4, 6000),
  (2, 'left out', 'skipped', 1, 1, 7000000000, 7, NULL, 6000),
  (2, 'seen', 'seen', 1, 1, 700000000, 6, NULL, 2000);
INSERT INTO contents (id, project, md5, size, state, not_before_ms, wanted_ms) VALUES
  (1, 1, x'01', 1, 'ready', 0, 0), (2, 1, x'02', 1, 'wanted', 0, 0), (3, 1, x'03', 1, 'ready', 0, 0), (4, 1, x'04', 1, 'ready', 0, 0), (5, 1, x'05', 1, 'ingesting', 0, 0);
INSERT INTO arrivals (folder, content, at_ms) VALUES (1, 1, 3000), (1, 3, 3000), (1, 4, 7000);
INSERT INTO prompts (id, name, project, schedule, configured, began_ms, began_seq, checked_ms) VALUES (1, 'digest', 1, '', 1, 1000, 0, 1000);
INSERT INTO deliveries (run, target, state, not_before_ms, wanted_ms) VALUES (1, 'hook', 'wanted', 2000, 2000);
`

test.each(ledger_migrations.slice(1, -1).map(({ version }) => version))(
  'what plans a run reads a ledger of version %d, before a start brings it on',
  (version) => {
    const state_dir = makeTree()
    const migrations = ledger_migrations.slice(0, version)
    openSqlite({ file: join(state_dir, 'ledger.db'), migrations, synchronous: 'FULL' }).close()
    expect(() => openFreshView(state_dir).close()).not.toThrow()
  },
)

test('a ledger of the first version is brought to the newest, and knows what was there before its folders', () => {
  const file = join(makeTree(), 'ledger.db')
  const first = openSqlite({ file, migrations: ledger_migrations.slice(0, 1), synchronous: 'FULL' })
  first.exec(of_the_first)
  first.close()
  openSqlite({ file, migrations: ledger_migrations, synchronous: 'FULL' }).close()
  const database = openSqliteReadOnly(file, ledger_version)
  try {
    expect(database.pragma('user_version', { simple: true })).toBe(ledger_version)
    expect(database.prepare('SELECT path, there_ms FROM files ORDER BY folder, path').raw().all()).toEqual([
      ['archive', 700],
      ['archive on its way', 800],
      ['copy that came', null],
      ['during the first look', null],
      ['moved in', null],
      ['left out', null],
      ['seen', 700],
    ])
    const left_out = database.prepare('SELECT path, left_out_after FROM files WHERE left_out_after IS NOT NULL').raw()
    expect(left_out.all(), 'by now, and the newest content is the fifth').toEqual([['left out', 5]])
    expect(database.prepare('SELECT content, there_ms FROM arrivals ORDER BY seq').raw().all()).toEqual([
      [1, 700],
      [3, null],
      [4, null],
    ])
    expect(database.prepare('SELECT name, restored_ms FROM prompts').raw().all()).toEqual([['digest', null]])
    expect(database.prepare('SELECT target, own_id, output FROM deliveries').raw().all()).toEqual([['hook', 0, null]])
    expect(database.prepare('SELECT id, queue FROM contents ORDER BY id').raw().all()).toEqual([
      [1, null],
      [2, 'send'],
      [3, null],
      [4, null],
      [5, 'follow'],
    ])
    // Nobody knows what that word was said of.
    expect(database.prepare('SELECT empty_accepted, found_files FROM folders').raw().all()).toEqual([
      [0, null],
      [0, null],
    ])
    expect(database.pragma('integrity_check', { simple: true })).toBe('ok')
  } finally {
    database.close()
  }
})
