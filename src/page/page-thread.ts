import { toPlainError } from '../base/run/errors.ts'
import { serveCalls } from '../base/run/thread.ts'
import { system_clock } from '../base/time/time.ts'
import type { Config } from '../config/config.ts'
import { readPageKeys } from '../config/page-keys.ts'
import { type OpenPage, openPage } from './open-page.ts'
import type { PageNote } from './page-tools.ts'

export type PageCalls = ReturnType<typeof begin>

function begin() {
  let page: OpenPage | undefined
  const notes: PageNote[] = []
  let send: ((notes: PageNote[]) => void) | undefined

  function log(note: PageNote): void {
    const error = note.fields?.error
    notes.push(error instanceof Error ? { ...note, fields: { ...note.fields, error: toPlainError(error) } } : note)
    flush()
  }

  function flush(): void {
    if (notes.length === 0) return
    send?.(notes.splice(0))
    send = undefined
  }

  return {
    /** Serves the page of this configuration. Returns its address; undefined if it goes on as it is. */
    async open(config: Config): Promise<string | undefined> {
      if (page?.takeOver(config)) return undefined
      // A file that is missing must not end the page that is served now.
      readPageKeys(config.page)
      await page?.close()
      page = undefined
      page = await openPage({ config, clock: system_clock, log })
      return page.address
    },
    /** Resolves with the next lines for the log. */
    notes: () =>
      new Promise<PageNote[]>((resolve) => {
        send = resolve
        flush()
      }),
    async close(): Promise<void> {
      await page?.close()
      page = undefined
      // Ends the call that waits for notes.
      send?.([])
    },
  }
}

serveCalls(begin)
