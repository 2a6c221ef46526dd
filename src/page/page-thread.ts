import { type PlainError, toPlainError } from '../base/run/errors.ts'
import { serveCalls } from '../base/run/thread.ts'
import { system_clock } from '../base/time/time.ts'
import type { Config } from '../config/config.ts'
import { hostAndPort } from '../config/listen.ts'
import { askPageKeys, type OpenPage, openPage } from './open-page.ts'
import type { PageNote } from './page-tools.ts'

/**
 * `address`: absent if the page goes on. `refused`: why it goes on with the part of the earlier
 * configuration that is `kept`.
 */
export type Opened = { address?: string; refused?: PlainError; kept?: 'certificate' | 'settings' }

function begin() {
  let page: OpenPage | undefined
  /** Port or socket of the page. */
  let place: string | number | undefined
  const notes: PageNote[] = []
  let send: ((notes: PageNote[]) => void) | undefined

  function log(note: PageNote): void {
    const error = note.fields?.error
    notes.push(
      error instanceof Error
        ? { ...note, fields: { ...note.fields, error: toPlainError(error) } }
        : note,
    )
    flush()
  }

  function flush(): void {
    if (notes.length === 0) return
    send?.(notes.splice(0))
    send = undefined
  }

  async function close(): Promise<void> {
    await page?.close()
    page = undefined
  }

  return {
    /** Serves the page of this configuration. Rejects if no page is served then. */
    async open(config: Config): Promise<Opened> {
      const next_place = hostAndPort(config.page.listen)?.port ?? config.page.listen
      let kept: Opened['kept'] = 'certificate'
      try {
        if (await page?.takeOver(config)) return {}
        kept = 'settings'
        // A file that is missing must not end the page that is served now.
        await askPageKeys(config)
        // Two pages cannot have the same port, but an address that is taken must not end this one.
        if (place === next_place) await close()
        const earlier = page
        page = await openPage({ config, clock: system_clock, log })
        place = next_place
        await earlier?.close()
        return { address: page.address }
      } catch (error) {
        if (!page) throw error
        return { refused: toPlainError(error), kept }
      }
    },
    /** Resolves with the next lines for the log. */
    notes: () =>
      new Promise<PageNote[]>((resolve) => {
        send = resolve
        flush()
      }),
    async close(): Promise<void> {
      await close()
      // Ends the call that waits for notes.
      send?.([])
    },
  }
}

serveCalls(begin)
