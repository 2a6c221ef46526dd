import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startServer } from '../../remote/recording-server.ts'
import { Home } from '../sluice.ts'

const digest = {
  name: 'digest',
  cron: '0 0 29 2 *',
  timezone: 'UTC',
  prompt: 'Which lease ends when? {{files}}',
  intelligence: 'fast',
  scope: { folders: ['docs'] },
  first_run: 'all',
}

test('repeats a failed delivery with the same id, and no successful one', async () => {
  const receiver = await startServer([{ status: 400 }, { status: 200 }, { status: 200 }])
  const home = await Home.make({ 'lease.txt': 'The lease ends in May.\n' })
  const copy = { name: 'copy', file: { dir: join(home.path, 'copies') } }
  const report = { file: { dir: join(home.path, 'reports') } }
  const hook = { name: 'hook', webhook: { url: `${receiver.origin}/hook` } }
  home.configure({ prompts: [{ ...digest, deliver: [report, hook, copy] }] })
  const deliver = (...words: string[]) => home.inProcess('prompts', 'deliver', ...words)
  const { code, out } = await home.inProcess('prompts', 'run', 'digest')
  expect([code, out]).toEqual([
    3,
    expect.stringMatching(/delivery hook \(webhook of 127\.0\.0\.1:\d+\): given up/),
  ])

  expect(await deliver('1', '--target', 'hok')).toMatchObject({
    code: 64,
    err: expect.stringMatching(/hook \(webhook of .*\), copy \(files in .*\)/),
  })
  expect(await deliver('7')).toMatchObject({
    code: 64,
    err: expect.stringContaining('there is no run 7'),
  })
  expect(await deliver('1', '--target', 'copy')).toMatchObject({
    code: 0,
    out: expect.stringMatching(/delivery copy \(files in .*\): delivered\n/),
    err: expect.stringContaining('is left to deliver'),
  })
  expect(await deliver('1')).toMatchObject({
    code: 0,
    out: '',
    err: expect.stringContaining('no daemon is running'),
  })

  const daemon = await home.run()
  expect(await deliver('1')).toMatchObject({ code: 0 })
  // Adds a receiver after the run.
  daemon.child.kill('SIGTERM')
  await daemon.ended
  const page = { name: 'page', webhook: { url: `${receiver.origin}/page` } }
  home.configure({ prompts: [{ ...digest, deliver: [report, hook, copy, page] }] })
  await home.run()
  expect(await deliver('1', '--target', 'page')).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^delivery page \(webhook of .*\): delivered\n$/),
    err: '',
  })
  expect(receiver.requests.map(({ path }) => path)).toEqual(['/hook', '/hook', '/page'])
  const [first, again, of_page] = receiver.requests.map(({ headers }) => headers['webhook-id'])
  expect(again).toBe(first)
  expect(of_page).not.toBe(first)
})

test('a run without a report has nothing to deliver', async () => {
  const home = await Home.make()
  home.configure({ prompts: [digest] })
  expect((await home.inProcess('prompts', 'run', 'digest')).code).toBe(3)
  expect(await home.inProcess('prompts', 'deliver', '1')).toMatchObject({
    code: 64,
    err: expect.stringContaining('run 1 has no report to deliver: skipped'),
  })
})
