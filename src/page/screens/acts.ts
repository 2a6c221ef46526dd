import type { HttpApp } from '../../base/net/http-server-app.ts'
import { printable } from '../../base/text/format.ts'
import { maySee } from '../access/viewer.ts'
import type { PageTools } from '../page-tools.ts'
import { notThere, withDaemon } from '../reads/with-daemon.ts'
import { act, type Visit } from '../screen.ts'

/** What operators do with files and folders, by the verbs of the daemon. */
export function serveActs(app: HttpApp, tools: PageTools): void {
  act(app, tools, '/retry', {
    role: 'operator',
    async run(visit) {
      const place = placeIn(visit)
      await withDaemon(tools, (daemon) => daemon.retry(place))
      return { to: backIn(visit), said: `Sluice tries ${nameOf(place)} again.` }
    },
  })
  act(app, tools, '/accept', {
    role: 'operator',
    async run(visit) {
      const place = placeIn(visit)
      await withDaemon(tools, (daemon) => daemon.accept(place))
      return { to: backIn(visit), said: `Sluice uploads ${nameOf(place)}.` }
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

/** The place that a form names. Error `page.not_there` for a folder that the viewer does not see. */
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
  return /^\/(?![/\\])[\w/?&=%.-]*$/.test(back) ? back : '/'
}
