import type { Sqlite } from '../base/sqlite.ts'

/** Removed assets whose passages still have to leave the index. */
export interface ForgetStore {
  next(limit: number): number[]
  done(assets: readonly number[]): void
}

export function openForgetStore(database: Sqlite): ForgetStore {
  const next = database.prepare('SELECT asset FROM assets_to_forget ORDER BY asset LIMIT ?')
  const done = database.prepare('DELETE FROM assets_to_forget WHERE asset = ?')
  return {
    next: (limit) => (next.all(limit) as { asset: number }[]).map((row) => row.asset),
    done(assets) {
      for (const asset of assets) done.run(asset)
    },
  }
}
