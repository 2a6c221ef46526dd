import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import {
  createWatchTrouble,
  inotifyLimit,
  raisedLimit,
} from '../../../src/disk/watch/watch-trouble.ts'
import { builtModule } from '../../rig/unprivileged.ts'

const { name, value } = inotifyLimit('instances')

test('EMFILE names the limit of inotify instances with its number, and the line to type', () => {
  const trouble = createWatchTrouble()
  trouble.note(Object.assign(new Error('too many'), { code: 'EMFILE' }))
  const text = trouble.text(() => 1)
  expect(text).toContain(`${name} (${value} for all programs`)
  expect(text).toContain(`sysctl -w ${name}=${raisedLimit(value, 1)}`)
})

test.each([
  ['before', true],
  ['after', false],
])(
  'a folder watched %s the last descriptor was used has no Infinity in its text',
  (_when, first) => {
    const script = `
    import { openSync } from 'node:fs'
    const { createWatchTrouble } = await import(${JSON.stringify(builtModule('disk/watch/watch-trouble'))})
    const early = ${first} ? createWatchTrouble() : undefined
    let error
    while (!error) try { openSync('/dev/null') } catch (fault) { error = fault }
    const trouble = early ?? createWatchTrouble()
    trouble.note(error)
    trouble.note(Object.assign(new Error('no space'), { code: 'ENOSPC' }))
    console.log(trouble.text(() => 7))`
    const line = `ulimit -n 100; exec "$0" --input-type=module -e "$1"`
    const { stdout, stderr } = spawnSync('sh', ['-c', line, process.execPath, script], {
      encoding: 'utf8',
    })
    expect(stderr).toBe('')
    expect(stdout).toContain('not all of the folder is watched: either ')
    expect(stdout).not.toContain('Infinity')
    expect(stdout).toContain(
      first
        ? `${name} (${value} `
        : 'either fs.inotify.max_user_instances or the limit of open files',
    )
  },
)
