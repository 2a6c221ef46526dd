import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { runBench } from './run-bench.ts'

const figure = { median: expect.any(Number), min: expect.any(Number), max: expect.any(Number) }

test('measures a rescan and a first sync, and writes what it prints', async () => {
  const { code, out, errors, json } = await runBench('--files', '100')
  expect(errors).toBe('')
  expect(code).toBe(0)
  const results = JSON.parse(readFileSync(json, 'utf8'))
  const against = {
    of_bare_rate: figure,
    sluice_files_per_s: figure,
    sluice_peak_mb: figure,
    bare_peak_mb: figure,
  }
  expect(results).toMatchObject({
    rounds: 1,
    rescan: { files: 100, find_s: figure, net_s: figure, times_find: figure, peak_mb: figure },
    sync: {
      files: 100,
      file_bytes: 4_096,
      connections: 8,
      local_service: against,
      null_service: against,
    },
  })
  const latency = { p50_ms: figure, p99_ms: figure }
  const [of_100] = results.service.latency
  expect(of_100).toMatchObject({
    assets: 100,
    first_page: latency,
    middle_page: latency,
    turn_of_rare_word: latency,
  })
  expect(results.service.uploads).toMatchObject({
    uploads: 100,
    upload_bytes: 1_048_576,
    peak_mb: figure,
  })
  expect(results.aims).toHaveLength(6)
  expect(results.sync.local_service.sluice_peak_mb.median).toBeGreaterThan(20)
  expect(out).toContain(`${results.sync.null_service.of_bare_rate.median} `)
})

test('measures the rows that are asked for of the table of big folders', async () => {
  const { code, out, errors, json } = await runBench(
    'scale',
    '--files',
    '200',
    '--only',
    'first-scan,rescan',
  )
  expect(errors).toBe('')
  const { scale, aims } = JSON.parse(readFileSync(json, 'utf8'))
  expect(out).not.toContain('no figures')
  expect(code).toBe(0)
  expect(Object.keys(scale)).toEqual(['first-scan', 'rescan'])
  expect(scale['first-scan']).toMatchObject({
    files: 200,
    times_md5sum: figure,
    loop_p99_ms: figure,
  })
  expect(scale.rescan).toMatchObject({ files: 200, times_find: figure, peak_mb: figure })
  expect(aims).toHaveLength(4)
})

test('measures the cost of sending: small files, a large one, a burst', async () => {
  const only = 'first-sync,large-file,burst'
  const { out, errors, json } = await runBench(
    'scale',
    '--files',
    '100',
    '--large-mb',
    '20',
    '--only',
    only,
  )
  expect(errors).toBe('')
  expect(out).not.toContain('no figures')
  const { scale } = JSON.parse(readFileSync(json, 'utf8'))
  expect(scale['first-sync']).toMatchObject({
    files: 100,
    local_of_bare_rate: figure,
    null_of_bare_rate: figure,
  })
  expect(scale['large-file']).toMatchObject({ megabytes: 20, times_bare: figure, peak_mb: figure })
  expect(scale.burst).toMatchObject({
    edits: 2_000,
    creates: 40,
    at_work_s: figure,
    stopped_s: figure,
  })
  expect(scale.burst.lost.max).toBe(0)
})

test('measures the peers that are installed, and names the others', async () => {
  const { out, errors, json } = await runBench('scale', '--files', '100', '--only', 'peers')
  expect(errors).toBe('')
  expect(out).not.toContain('no figures')
  const { peers } = JSON.parse(readFileSync(json, 'utf8')).scale
  expect(peers).toMatchObject({ files: 100, find_s: figure, md5sum_s: figure })
  const [rclone, syncthing] = peers.notes
  expect('rclone_times_find' in peers).toBe(rclone !== 'rclone is not installed: skipped')
  expect('syncthing_times_find' in peers).toBe(syncthing !== 'syncthing is not installed: skipped')
})

test('measures the daemon on known files, and a large ledger', async () => {
  const only = 'start,save-to-sent,idle,page,big-ledger'
  const few = ['--files', '200', '--saves', '4', '--idle-s', '4']
  const { out, errors, json } = await runBench('scale', ...few, '--only', only)
  expect(errors).toBe('')
  expect(out).not.toContain('no figures')
  const { scale } = JSON.parse(readFileSync(json, 'utf8'))
  expect(scale.start).toMatchObject({ files: 200, reconciled_s: figure, peak_mb: figure })
  expect(scale['save-to-sent']).toMatchObject({
    saves: 4,
    sent_p50_ms: figure,
    sent_p99_ms: figure,
  })
  expect(scale['save-to-sent'].put_p50_ms.min).toBeGreaterThan(0)
  expect(scale.idle).toMatchObject({ idle_s: 4, idle_percent: figure, scan_cpu_s: figure })
  expect(scale.page).toMatchObject({
    files: 200,
    ten_cpu_ms: figure,
    loop_p99_ms: figure,
    more_mb: figure,
  })
  expect(scale['big-ledger']).toMatchObject({
    rows: 1_000,
    start_s: figure,
    status_ms: figure,
    explain_ms: figure,
    search_rare_ms: figure,
  })
})
