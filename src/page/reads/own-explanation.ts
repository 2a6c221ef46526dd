import { join } from 'node:path'
import { askingPaths } from '../../base/files/ask-paths.ts'
import { refused_fact } from '../../domain/fact.ts'
import { type Explanation, explain } from '../../inspect/explain/explain.ts'
import { pathFault } from '../../inspect/files/no-place.ts'
import type { Place } from '../../inspect/files/place.ts'
import type { Trouble } from '../../ledger/rows/trouble-rows.ts'
import type { LedgerView } from '../../ledger/views/view.ts'
import { daemonStatus } from '../../status/daemon-status.ts'
import { withLedgerView } from '../../status/with-view.ts'
import { configFor, maySee, seenBy, type Viewer } from '../access/viewer.ts'
import type { PageTools } from '../page-tools.ts'
import { forReader } from './for-reader.ts'
import { notThere } from './with-daemon.ts'

/** The answer of explain about a file, as this viewer may know it. Error `page.not_there`. */
export async function ownExplanation(
  { config, clock }: Pick<PageTools, 'config' | 'clock'>,
  viewer: Viewer,
  place: Place,
): Promise<Explanation> {
  const own = configFor(config, viewer)
  // A path with `..` would lead out of the folder.
  const leads_out = place.path.split('/').some((part) => part === '..' || part === '.')
  const root = own.folders.find(({ name }) => name === place.folder)?.path
  if (leads_out || root === undefined || pathFault(place.path) !== undefined) throw notThere()
  // A share that does not answer must not hold this thread.
  const silent = await askingPaths((paths) => {
    paths.look(join(root, place.path))
    return paths.silent()
  })
  const daemon_runs = (await daemonStatus(own.state_dir)).state !== 'stopped'
  return withLedgerView(own.state_dir, (view) => {
    const ledger = view && viewer.folders !== 'all' ? withoutOthers(view, viewer) : view
    const for_reader = viewer.role === 'reader'
    const explained = explain({
      config: own,
      ledger,
      place,
      daemon_runs,
      now_ms: clock.now_ms(),
      for_reader,
      silent,
    })
    const explanation = for_reader ? forReader(explained, own) : explained
    const same_bytes = explanation.same_bytes.filter(({ folder }) => maySee(viewer, folder))
    // The same bytes may have labels of a folder that they do not see.
    const isOwn = ({ setting }: { setting: string | null }) =>
      viewer.folders === 'all' || setting !== null
    const label_settings = explanation.label_settings.filter(isOwn)
    return {
      ...explanation,
      same_bytes,
      label_settings,
      labels: label_settings.map(({ label }) => label),
    }
  })
}

/** A refused fact of the same bytes may name another file. */
function withoutNames(trouble: Trouble): Trouble {
  const { about, message } = trouble
  const shown = about.startsWith(refused_fact) ? 'Sluice cannot record a step of it' : message
  return { ...trouble, message: shown, hint: undefined }
}

/** A view that neither counts nor names files of other folders. */
function withoutOthers(view: LedgerView, viewer: Viewer): LedgerView {
  return {
    ...view,
    story: (folder, path) => view.story(folder, path, seenBy(viewer)),
    used: () => ({ files: 0, bytes: 0 }),
    troubles: () => view.troubles().map(withoutNames),
    naming: (asset_id, file) =>
      view.naming(asset_id, file).map((name) => (name && maySee(viewer, name) ? name : null)),
    partingOf(content) {
      const parting = view.partingOf(content)
      const { left_out } = parting ?? {}
      return (
        parting && {
          ...parting,
          left_out: left_out && maySee(viewer, left_out.folder) ? left_out : undefined,
        }
      )
    },
  }
}
