import { SluiceError } from '../base/errors.ts'
import { system_clock } from '../base/time.ts'
import { programVersion } from '../base/version.ts'
import type { Config } from '../config/config.ts'
import { type Control, startControl } from '../control/control-server.ts'
import { type ControlVerbs, controlSocket } from '../control/control-verbs.ts'
import type { Daemon } from '../daemon/daemon.ts'

/** Lets other commands speak to the daemon in this process. */
export function serveControl(daemon: Daemon, config: Config, mode: 'run' | 'once'): Promise<Control> {
  const names = new Set(config.folders.map(({ name }) => name))
  const prompts = new Set(config.prompts.map(({ name }) => name))
  function refuseUnknown(folder: string): void {
    if (!names.has(folder)) throw unknown('usage.folder', `keeps no folder called ${folder}`)
  }
  const verbs: ControlVerbs = {
    ping: async () => ({ pid: process.pid, version: programVersion(), mode }),
    async rescan({ folder }) {
      if (folder !== undefined) refuseUnknown(folder)
      daemon.rescan(folder)
    },
    async retry({ folder, path }) {
      refuseUnknown(folder)
      await daemon.ledger.record([{ type: 'retried', folder, path }])
    },
    async accept({ folder, path }) {
      refuseUnknown(folder)
      await daemon.ledger.record([{ type: 'accepted', folder, path }])
      // Of a whole folder it may mean "it is rightly empty", which the next look at the folder believes.
      if (path === '') daemon.rescan(folder)
    },
    async runPrompt({ prompt }) {
      if (!prompts.has(prompt)) throw unknown('usage.prompt', `knows no prompt called ${prompt}`)
      const due_ms = system_clock.now_ms()
      await daemon.ledger.record([{ type: 'run_due', prompt, due_ms, cause: 'person' }])
      return { due_ms }
    },
    idle: () => daemon.idle(),
  }
  return startControl({ socket: controlSocket(config.state_dir), verbs })
}

function unknown(code: string, what: string): SluiceError {
  return new SluiceError({
    code,
    message: `the daemon ${what}`,
    hint: 'it took up its configuration when it started: restart it after a change',
  })
}
