import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'
import { makeTree } from '../../rig/tree.ts'

const program = fileURLToPath(new URL('../../../dist/cli/main.js', import.meta.url))

/**
 * Runs `sluice demo` with these arguments; `left` lists what remains in the temporary directory.
 */
export function beginDemo(...words: string[]) {
  const temporary = makeTree()
  const child = spawn(process.execPath, [program, 'demo', ...words], {
    env: { ...process.env, TMPDIR: temporary },
    stdio: ['ignore', 'pipe', 'pipe'],
    // The child leads a process group, so that none of its children outlives the test.
    detached: true,
  })
  let out = ''
  let err = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    err += text
  })
  onTestFinished(() => killGroup(child.pid!))
  return {
    out: () => out,
    err: () => err,
    ended: once(child, 'close').then(([code]) => code as number | null),
    stop: () => void child.kill('SIGTERM'),
    /** As `demo | head` does: whatever is written then is refused. */
    closeOutput: () => void child.stdout.destroy(),
    left: () => readdirSync(temporary),
    /** Bytes in the files that the service has stored. */
    stored: () =>
      readdirSync(temporary).flatMap((name) =>
        filesBelow(join(temporary, name, 'service', 'objects')),
      ),
    connection: () => connectionIn(out),
  }
}

function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

function filesBelow(directory: string): string[] {
  return existsSync(directory) ? readdirSync(directory) : []
}

interface Asset {
  filename: string
  size_in_bytes: number
}

/** The address that `--stay` prints, and the assets that the service lists there. */
function connectionIn(out: string) {
  const said = (title: string) => new RegExp(`^ +${title} +(\\S+)`, 'm').exec(out)![1]!
  const token_file = said('token file')
  const headers = {
    'x-api-key': readFileSync(token_file, 'utf8').trim(),
    'x-project-id': said('project_id'),
  }
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
