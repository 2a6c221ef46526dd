import type { Sqlite } from '../base/sqlite.ts'

/** Which host uploads go to is known from tickets alone: its origin is kept, of the signed address nothing else. */
export function createHostRows(database: Sqlite) {
  const note = database.prepare(
    `INSERT INTO hosts (what, origin, since_ms) VALUES ('blob', ?, ?)
       ON CONFLICT (what) DO UPDATE SET origin = excluded.origin, since_ms = excluded.since_ms
       WHERE origin <> excluded.origin`,
  )

  function noteUpload(upload_url: string, at_ms: number): void {
    if (URL.canParse(upload_url)) note.run(new URL(upload_url).origin, at_ms)
  }

  return { noteUpload }
}

export type HostRows = ReturnType<typeof createHostRows>

/** `https://blobs.example.com`; undefined before the first upload. */
export function readBlobOrigin(database: Sqlite): string | undefined {
  return database.prepare(`SELECT origin FROM hosts WHERE what = 'blob'`).pluck().get() as string | undefined
}
