import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { begin, localJourneys } from '../rig/harness.ts'

/** Renames a file back and forth: two events each, about names that do not matter. */
const rename_often = `
  const { renameSync, writeFileSync } = require('node:fs')
  const [, docs, times, ...names] = process.argv
  writeFileSync(docs + '/x.tmp', '')
  for (let i = 0; i < Number(times); i++) {
    renameSync(docs + '/x.tmp', docs + '/y.tmp')
    renameSync(docs + '/y.tmp', docs + '/x.tmp')
  }
  for (const name of names) writeFileSync(name, 'written when the queue was full: ' + name)`

localJourneys('watchers share one queue of the kernel', (profile) => {
  test.runIf(process.platform === 'linux')(
    'events of one folder overflow it while this process is busy: changes of the other folders are found',
    async () => {
      const journey = await begin({
        profile,
        tree: { 'docs/a.txt': 'a', 'native/b.txt': 'b', 'chokidar/c.txt': 'c' },
        folders: {
          docs: { watch: 'native', exclude: ['*.tmp'] },
          native: { watch: 'native' },
          chokidar: { watch: 'chokidar' },
        },
      })
      journey.ends({ left_out: ['docs/x.tmp'] })
      await journey.allReady()
      await journey.idle()
      const max_queued = Number(readFileSync('/proc/sys/fs/inotify/max_queued_events', 'utf8'))
      const lost = [journey.at('native/lost.txt'), journey.at('chokidar/lost.txt')]
      // The call is synchronous, so that no event is read meanwhile.
      const { status } = spawnSync(process.execPath, [
        '-e',
        rename_often,
        journey.at('docs'),
        String(Math.ceil(max_queued / 3)),
        ...lost,
      ])
      expect(status).toBe(0)
      await journey.allReady()
      expect(journey.file('native/lost.txt')?.stage).toBe('ready')
      expect(journey.file('chokidar/lost.txt')?.stage).toBe('ready')
    },
  )
})
