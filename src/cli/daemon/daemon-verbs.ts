import { SluiceError } from '../../base/run/errors.ts'
import { programVersion } from '../../base/run/process.ts'
import { system_clock } from '../../base/time/time.ts'
import { type Control, startControl } from '../../control/control-server.ts'
import {
  type ControlVerbs,
  type DaemonPresence,
  factsOfDoubt,
} from '../../control/control-verbs.ts'
import type { Daemon } from '../../daemon/running-daemon.ts'
import { controlSocket } from '../../ledger/file/state-directory.ts'
import { withPassView, withPromptsView } from '../../status/with-view.ts'
import { askForUser } from './ask-verb.ts'
import type { Reloader } from './reloader.ts'

/**
 * Lets other commands talk to the daemon in this process. Without a reloader it keeps its first
 * configuration. `state_dir` holds the socket. In a rebuild it differs from the directory of the
 * ledger.
 */
export function serveControl(
  daemon: Daemon,
  mode: 'run' | 'once',
  reloader?: Reloader,
  state_dir = daemon.config.state_dir,
): Promise<Control> {
  // The directory of the ledger does not change while the daemon runs.
  const ledger_dir = daemon.config.state_dir
  function refuseUnknown(folder: string): void {
    const is_known = daemon.config.folders.some(({ name }) => name === folder)
    if (!is_known) throw unknown('usage.folder', `keeps no folder called ${folder}`)
  }
  const verbs: ControlVerbs = {
    ping: async () => ({
      pid: process.pid,
      version: programVersion(),
      mode,
      ...ledgerFaultOf(daemon),
    }),
    async rescan({ folder }) {
      if (folder !== undefined) refuseUnknown(folder)
      const names = folder === undefined ? daemon.config.folders.map(({ name }) => name) : [folder]
      await daemon.ledger.record(names.map((name) => ({ type: 'checks_wanted', folder: name })))
      daemon.rescan(folder)
    },
    async retry({ folder, path }) {
      refuseUnknown(folder)
      await daemon.retry(folder, path)
    },
    async accept({ folder, path }) {
      refuseUnknown(folder)
      await daemon.ledger.record([{ type: 'accepted', folder, path }])
      // For a whole folder it may confirm deletions. The next scan then records them.
      if (path === '') daemon.rescan(folder)
    },
    async acceptRemovals({ folder, path }) {
      refuseUnknown(folder)
      await daemon.ledger.record([{ type: 'removals_accepted', folder, path }])
    },
    async runPrompt({ prompt }) {
      const is_known = daemon.config.prompts.some(({ name }) => name === prompt)
      if (!is_known) throw unknown('usage.prompt', `knows no prompt called ${prompt}`)
      const due_ms = system_clock.now_ms()
      await daemon.ledger.record([{ type: 'run_due', prompt, due_ms, cause: 'user' }])
      return { due_ms }
    },
    async pause({ by, why, for_ms }) {
      await daemon.pause({
        by,
        why,
        until_ms: for_ms === undefined ? undefined : system_clock.now_ms() + for_ms,
      })
    },
    resume: () => daemon.resume(),
    async reload() {
      if (!reloader) throw keepsItsConfig()
      return reloader.reload()
    },
    async deliverAgain(what) {
      const is_known = await withPromptsView(
        ledger_dir,
        (view) => view?.run(what.run) !== undefined,
      )
      if (!is_known) throw unknown('usage.run', `knows no run ${what.run}`)
      await daemon.ledger.record([{ type: 'delivery_wanted_again', ...what }])
    },
    ask: (asked, gone = new AbortController().signal) => askForUser(daemon, asked, gone),
    audit: () => daemon.ledger.record([{ type: 'audit_wanted' }]),
    async doubt(doubt) {
      if (doubt.about === 'bytes') refuseUnknown(doubt.folder)
      else if (!(await withPassView(ledger_dir, (view) => view?.hasContent(doubt.content))))
        throw unknown('usage.content', `knows no content ${doubt.content}`)
      await daemon.ledger.record(factsOfDoubt(doubt, system_clock.now_ms()))
    },
    idle: (gone) => daemon.idle(gone),
  }
  return startControl({ socket: controlSocket(state_dir), verbs })
}

function ledgerFaultOf(daemon: Daemon): Pick<DaemonPresence, 'ledger_fault'> {
  const trouble = daemon.ledgerTrouble()
  if (!trouble) return {}
  const { error, since_ms } = trouble
  return { ledger_fault: { message: error.message, hint: error.hint, since_ms } }
}

function unknown(code: string, what: string): SluiceError {
  return new SluiceError({
    code,
    message: `the daemon ${what}`,
    hint: 'if the configuration has changed, `sluice reload` lets the daemon read it again',
  })
}

function keepsItsConfig(): SluiceError {
  return new SluiceError({
    code: 'usage.keeps_config',
    message:
      'what runs here is a single pass or the demo: it keeps the configuration that it began with',
    hint: 'run it again when it has ended',
  })
}
