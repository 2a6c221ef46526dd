import type { HttpApp } from '../../base/net/http-server-app.ts'
import { counted, printable } from '../../base/text/format.ts'
import { passFacts } from '../../control/control-verbs.ts'
import type { UserFact } from '../../domain/fact.ts'
import { isTypePattern, refusedTypeIn } from '../../domain/file-type.ts'
import { withLedgerView, withPassView } from '../../status/with-view.ts'
import { configFor, maySee } from '../access/viewer.ts'
import type { PageTools } from '../page-tools.ts'
import { notThere, withDaemon } from '../reads/with-daemon.ts'
import { act, notAllowed, type Visit } from '../screen.ts'

/** The daemon takes the files one by one: so many take about a second. */
export const max_group_files = 500

/** Acts of operators on files and folders, by the verbs of the daemon. */
export function serveActs(app: HttpApp, tools: PageTools): void {
  const { config, clock } = tools

  /** Passes a fact that would change a file. A type that nothing waits for would count later. */
  async function passOne(fact: UserFact, said: string, visit: Visit) {
    const is_useful = await withPassView(
      config.state_dir,
      (view) => view !== undefined && view.reachedBy(fact, clock.now_ms()).files > 0,
    )
    return { to: backIn(visit), said: await pass(is_useful ? [fact] : [], said, tools) }
  }

  act(app, tools, '/retry', {
    role: 'operator',
    run(visit) {
      const place = placeIn(visit)
      return passOne({ type: 'retried', ...place }, `Sluice tries ${nameOf(place)} again.`, visit)
    },
  })
  act(app, tools, '/accept', {
    role: 'operator',
    run(visit) {
      const place = placeIn(visit)
      // For a whole folder it would also confirm that missing files were deleted.
      // With `!` it would end the acceptance of a type, which the page does not offer.
      if (place.path === '' || /^!\*\./.test(place.path)) throw notThere()
      if (isTypePattern(place.path)) refuseForSome(visit)
      return passOne({ type: 'accepted', ...place }, `Sluice uploads ${nameOf(place)}.`, visit)
    },
  })
  act(app, tools, '/group', {
    role: 'operator',
    async run(visit) {
      const { facts, said } = await groupIn(visit, tools)
      return { to: backIn(visit), said: await pass(facts, said, tools) }
    },
  })
  act(app, tools, '/rescan', {
    role: 'operator',
    async run(visit) {
      const { folder } = placeIn(visit)
      await withDaemon(tools, (daemon) => daemon.rescan({ folder }))
      return { to: backIn(visit), said: `Sluice looks through ${folder} again.` }
    },
  })
}

/** Passes facts to the daemon. Returns `said`, or that there is nothing to do. */
async function pass(facts: readonly UserFact[], said: string, tools: PageTools): Promise<string> {
  if (facts.length === 0) return 'Nothing waits for this, so nothing was changed.'
  await withDaemon(tools, (daemon) => passFacts(daemon, facts))
  const pause = await withPassView(tools.config.state_dir, (view) =>
    view?.pause(tools.clock.now_ms()),
  )
  return pause ? `${said} It is paused now, and goes on with this after the pause.` : said
}

/** Acts on a group of problems: to upload a refused type, or to try its files again. */
async function groupIn(
  visit: Visit,
  { config }: PageTools,
): Promise<{ facts: UserFact[]; said: string }> {
  const { viewer, field } = visit
  const names = configFor(config, viewer).folders.map(({ name }) => name)
  const code = field('code')
  const type = refusedTypeIn(code)
  if (type !== undefined) {
    refuseForSome(visit)
    // To count the files of a type takes seconds where there are many.
    const groups = await withLedgerView(config.state_dir, (view) => view?.problems(names) ?? [])
    const facts = names.map((folder) => ({ type: 'accepted', folder, path: `*.${type}` }) as const)
    const is_held = groups.some((group) => group.code === code)
    return {
      facts: is_held ? facts : [],
      said: `Sluice uploads all files of the type *.${type}, from now on.`,
    }
  }
  const group = { stage: field('stage'), code, message: field('message') }
  const files = await withLedgerView(
    config.state_dir,
    (view) => view?.problemFiles(group, names, max_group_files) ?? [],
  )
  const facts = files.map((place) => ({ type: 'retried', ...place }) as const)
  const more = facts.length === max_group_files ? ' If there are more, send the form again.' : ''
  return { facts, said: `Sluice tries ${counted(facts.length, 'file')} again.${more}` }
}

/** A type is accepted in the whole project, also in folders that the viewer does not see. */
function refuseForSome({ viewer }: Visit): void {
  if (viewer.folders !== 'all') throw notAllowed('an operator of all folders')
}

/** The place that a form names. Error `page.not_there` if the viewer does not see the folder. */
function placeIn({ viewer, field }: Visit): { folder: string; path: string } {
  const folder = field('folder')
  if (!maySee(viewer, folder)) throw notThere()
  return { folder, path: field('path') }
}

function nameOf({ folder, path }: { folder: string; path: string }): string {
  return printable(path === '' ? folder : `${folder}/${path}`)
}

/** The screen of the form, if it is one of this page. */
function backIn({ field }: Visit): string {
  const back = field('back')
  return /^\/(?![/\\])[\w/?&=%.+*-]*$/.test(back) ? back : '/'
}
