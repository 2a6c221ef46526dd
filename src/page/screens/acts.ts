import type { HttpApp } from '../../base/net/http-server-app.ts'
import { counted, printable } from '../../base/text/format.ts'
import { passFacts } from '../../control/control-verbs.ts'
import type { UserFact } from '../../domain/fact.ts'
import { isTypePattern, refusedTypeIn } from '../../domain/file-type.ts'
import { knownFiles } from '../../inspect/files/known-files.ts'
import { withLedgerView, withPassView } from '../../status/with-view.ts'
import { configFor, maySee } from '../access/viewer.ts'
import type { PageTools } from '../page-tools.ts'
import { notThere, withDaemon } from '../reads/with-daemon.ts'
import { act, notAllowed, type Visit } from '../screen.ts'

/** The daemon takes the files one by one: so many take about a second. */
const max_group_files = 500
/** Groups of files that a retry can change. */
const retried = ['refused', 'removed_on_service', 'blocked'] as const

/** Acts of operators on files and folders, by the verbs of the daemon. */
export function serveActs(app: HttpApp, tools: PageTools): void {
  act(app, tools, '/retry', {
    role: 'operator',
    async run(visit) {
      const place = placeIn(visit)
      const facts = await waiting([{ type: 'retried', ...place }], tools)
      return {
        to: backIn(visit),
        said: await pass(facts, `Sluice tries ${nameOf(place)} again.`, tools),
      }
    },
  })
  act(app, tools, '/accept', {
    role: 'operator',
    async run(visit) {
      const place = placeIn(visit)
      // For a whole folder it would also confirm that missing files were deleted.
      // With `!` it would end the acceptance of a type, which the page does not offer.
      if (place.path === '' || /^!\*\./.test(place.path)) throw notThere()
      if (isTypePattern(place.path)) refuseForSome(visit)
      const facts = await waiting([{ type: 'accepted', ...place }], tools)
      return {
        to: backIn(visit),
        said: await pass(facts, `Sluice uploads ${nameOf(place)}.`, tools),
      }
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

/** The facts that would change a file. A type that nothing waits for would count later. */
async function waiting(
  facts: readonly UserFact[],
  { config, clock }: PageTools,
): Promise<UserFact[]> {
  return withPassView(config.state_dir, (view) =>
    facts.filter((fact) => view && view.reachedBy(fact, clock.now_ms()).files > 0),
  )
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
  const facts = await withLedgerView(config.state_dir, (view) => {
    const found: UserFact[] = []
    const wanted = retried.filter((stage) => stage === field('stage') && code !== 'upload_limit')
    const named = names.map((folder) => ({ folder, path: '' }))
    for (const page of view && wanted.length > 0 ? knownFiles(view, named, wanted) : []) {
      const alike = page.filter(({ reason, stage }) => (reason ?? stage) === code)
      found.push(...alike.map(({ folder, path }) => ({ type: 'retried', folder, path }) as const))
      if (found.length >= max_group_files) break
    }
    return found.slice(0, max_group_files)
  })
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
