import type { SessionStore } from '@fastify/session'
import type { PageStore } from './page-store.ts'

/** Sessions in page.db, so that a restart of the daemon signs no user out. */
export function sessionsIn(store: PageStore): SessionStore {
  return {
    get(id, done) {
      const data = store.session(id)
      done(null, data === undefined ? null : { ...JSON.parse(data), is_known: true })
    },
    set(id, session, done) {
      store.keepSession(id, session, JSON.stringify(session))
      done()
    },
    destroy(id, done) {
      store.endSession(id)
      done()
    },
  }
}
