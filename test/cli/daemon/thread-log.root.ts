import { spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { describe, expect, onTestFinished, test } from 'vitest'
import { cannotHang, mountThatHangs } from '../../disk/hung-mount.ts'
import { makeTree } from '../../rig/tree.ts'

const open = fileURLToPath(new URL('../../../dist/cli/daemon/open.js', import.meta.url))

const ample = { timeout: 20_000 }

/** What a process prints on standard error that logs in a file whose mount then hangs. */
async function printedBy(script: string) {
  const home = makeTree()
  const disk = join(home, 'disk')
  const mount = await mountThatHangs(disk, join(home, 'mount'))
  const whole = `
    import { once } from 'node:events'
    import { openLog } from ${JSON.stringify(open)}
    const config = { log: { level: 'info', format: 'json' } }
    const log = openLog(config, { file: ${JSON.stringify(join(home, 'mount/log'))} })
    log.info('at first')
    console.log('begun')
    await once(process.stdin, 'data')
    ${script}
  `
  writeFileSync(join(home, 'logs.mjs'), whole)
  const child = spawn(process.execPath, [join(home, 'logs.mjs')])
  onTestFinished(() => void child.kill('SIGKILL'))
  const lines = createInterface({ input: child.stdout })
  let err = ''
  child.stderr.on('data', (chunk) => {
    err += String(chunk)
  })
  const closed = new Promise((resolve) => child.on('close', resolve))
  await new Promise((begun) => lines.once('line', begun))
  const logged = () => readFileSync(join(disk, 'log'), 'utf8')
  await expect.poll(logged, ample).toContain('at first')
  mount.stop()
  child.stdin.end('go on')
  return { mount, closed, logged, err: () => err }
}

const numbers = [1, 2, 3]
const lines = numbers.map((at) => `log.info('line ${at}')`).join('\n')

describe.skipIf(cannotHang())('a log on a mount that hangs', () => {
  test('goes on at standard error with all lines that the file has not taken', async () => {
    const script = `${lines}; setTimeout(() => log.info('the last'), 2_500)`
    const { mount, closed, logged, err } = await printedBy(script)
    await expect.poll(err, ample).toContain('the last')
    mount.goOn()
    await closed
    const said = err().split('\n')
    expect(said[0]).toContain('the log goes on here')
    const expected = [...numbers.map((at) => `line ${at}`), 'the last']
    expect(said.slice(1, -1).map((line) => JSON.parse(line).msg)).toEqual(expected)
    for (const line of expected) expect(logged().split(line)).toHaveLength(2)
  })

  test('loses no line at the end of the process', async () => {
    const { mount, closed, err } = await printedBy(`${lines}; process.exit(1)`)
    await expect.poll(err, ample).toContain('line 3')
    mount.goOn()
    await closed
    for (const at of numbers) expect(err()).toContain(`line ${at}`)
  })
})
