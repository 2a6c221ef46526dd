import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { sqliteDriver } from '../../../src/base/files/sqlite-driver.ts'
import { day_ms, minute_ms } from '../../../src/base/time/time.ts'
import { secretsOf } from '../../../src/config/secrets.ts'
import { until } from '../../rig/waiting.ts'
import { Watched } from './rig.ts'

const Database = sqliteDriver()

function reading(watched: Watched, query: string): Record<string, unknown>[] {
  const database = new Database(join(watched.state_dir, 'ledger.db'), { readonly: true })
  try {
    return database.prepare(query).all() as Record<string, unknown>[]
  } finally {
    database.close()
  }
}

/** A daemon whose audit round is over; the next round is a day away. */
async function beginAudited(): Promise<Watched> {
  const watched = await Watched.begin()
  await watched.synced()
  const { ledger } = watched.daemon
  await ledger.record([{ type: 'audit_wanted' }])
  await until('the audit is over', async () =>
    (await ledger.audits()).every(({ last }) => last !== undefined),
  )
  return watched
}

/** Deletes the files that met the trouble before it ends, so that no call is left to make. */
async function takeAway(watched: Watched, names: readonly string[]): Promise<void> {
  for (const name of names) rmSync(join(watched.docs, name))
  watched.daemon.rescan()
  const present = () =>
    reading(watched, `SELECT path FROM files WHERE state = 'present' AND path <> 'a.txt'`)
  await until('it is seen that they are gone', () => present().length === 0)
}

describe('a trouble ends with its cause, even if nothing is left to send', {
  timeout: 60_000,
}, () => {
  test('the service is online again', async () => {
    const watched = await beginAudited()
    watched.service.injectFaults({ down: true })
    const names = ['b.txt', 'c.txt', 'd.txt']
    watched.write(Object.fromEntries(names.map((name) => [name, name])))
    await until('it is noticed', () => watched.log.some((line) => line.includes('"about":"api"')))
    watched.clock.skip(16 * minute_ms)
    await watched.red('service')
    await takeAway(watched, names)
    watched.service.injectFaults({ down: false })
    await watched.greenAfter(6 * minute_ms)
  })

  test('the token is valid again', async () => {
    const watched = await beginAudited()
    watched.service.tokens.revoke('watched')
    watched.write({ 'b.txt': 'b' })
    await watched.red('account')
    await takeAway(watched, ['b.txt'])
    await watched.daemon.reload(
      watched.config(),
      secretsOf(watched.service.tokens.create('new').token),
    )
    await watched.greenAfter(6 * minute_ms)
  })

  test('a project that left the configuration while the service read a file of it becomes out of reach', async () => {
    const watched = await Watched.begin({ service: { ingest: { delay_ms: day_ms } } })
    const { daemon, service } = watched
    const states = () =>
      reading(
        watched,
        `SELECT projects.project_id, contents.state FROM contents JOIN projects ON projects.id = project`,
      )
    await until('it is being read', () => states().some(({ state }) => state === 'ingesting'))
    const { project_id } = service.projects.create('other')
    const { token } = service.tokens.create('narrow', { project_ids: [project_id] })
    await daemon.reload(watched.config({ folder: { project_id } }), secretsOf(token))
    await until('no worker follows it any more', () =>
      states().some(
        (content) => content.project_id === watched.project_id && content.state === 'abandoned',
      ),
    )
    await until('the file is in the other project', () =>
      states().some(
        (content) => content.project_id === project_id && content.state === 'ingesting',
      ),
    )
    expect(await watched.broken()).toEqual([])
  })

  test('a restart keeps the projects that are out of reach, and reports none as resolved', async () => {
    const watched = await beginAudited()
    const { service } = watched
    await watched.stop()
    const { project_id } = service.projects.create('other')
    watched.secrets = secretsOf(
      service.tokens.create('narrow', { project_ids: [project_id] }).token,
    )
    await watched.start()
    watched.clock.skip(2 * minute_ms)
    expect(await watched.red('project')).toMatchObject({ about: watched.project_id })
  })
})
