import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import { makeTree } from '../tree.ts'

const program = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url))

/** Runs `sluice demo` with these words; `left` is what it leaves in the directory for temporary files. */
export function beginDemo(...words: string[]) {
  const temporary = makeTree()
  const child = spawn(process.execPath, [program, 'demo', ...words], {
    env: { ...process.env, TMPDIR: temporary },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let out = ''
  let err = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    err += text
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  return {
    out: () => out,
    err: () => err,
    ended: once(child, 'close').then(([code]) => code as number | null),
    stop: () => void child.kill('SIGTERM'),
    left: () => readdirSync(temporary),
    connection: () => connectionIn(out),
  }
}

interface Asset {
  filename: string
  size_in_bytes: number
}

/** What `--stay` says of the service, and the assets in its own list. */
function connectionIn(out: string) {
  const said = (title: string) => new RegExp(`^ +${title} +(\\S+)`, 'm').exec(out)![1]!
  const token_file = said('token file')
  const headers = { 'x-api-key': readFileSync(token_file, 'utf8').trim(), 'x-project-id': said('project_id') }
  async function assets() {
    const all: Asset[] = []
    for (let after = ''; ; ) {
      const answer = await fetch(`${said('base_url')}/v1/assets?limit=100${after}`, { headers })
      const { data, has_more, last_id } = (await answer.json()) as {
        data: Asset[]
        has_more: boolean
        last_id?: string
      }
      all.push(...data)
      if (!has_more) return all
      after = `&after_id=${last_id}`
    }
  }
  return { token_file, assets }
}
