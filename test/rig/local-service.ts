import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { openSqliteReadOnly, type Sqlite } from '../../src/base/files/sqlite.ts'
import { isoTime } from '../../src/base/time/time.ts'
import type { ChatScope } from '../../src/contract/messages/messages-chats.ts'
import type { ServiceOptions } from '../../src/service/options.ts'
import { startService as start } from '../../src/service/service.ts'
import { dataPaths, statementsOf } from '../../src/service/store/database.ts'
import { openObjectStore } from '../../src/service/store/object-files.ts'
import { type AssetRow, openAssetStore } from '../../src/service/store/store-assets.ts'
import { type ChatRow, openChatStore } from '../../src/service/store/store-chats.ts'

export type Service = Awaited<ReturnType<typeof startService>>

/** The local service, and what its database and objects hold, read beside it. */
export async function startService(options: ServiceOptions) {
  const service = await start(options)
  return Object.assign(service, inspectData(service.data_dir))
}

type Statements = ReturnType<typeof statementsOf>

function inspectData(data_dir: string) {
  const paths = dataPaths(data_dir)

  function reading<Answer>(read: (database: Sqlite, statements: Statements) => Answer): Answer {
    const database = openSqliteReadOnly(paths.database, 'any format')
    try {
      return read(database, statementsOf(database))
    } finally {
      database.close()
    }
  }

  function projectNumber({ value }: Statements, project_id: string): number {
    const project = value<number>('SELECT seq FROM projects WHERE project_id = ?', project_id)
    if (project === undefined) throw new Error(`the project ${project_id} does not exist`)
    return project
  }

  return {
    /** Oldest first. */
    assets: (project_id: string) =>
      reading((_, statements) =>
        statements
          .all<AssetRow & { has_object: 0 | 1; label_names: string }>(
            `SELECT *, EXISTS (SELECT 1 FROM objects WHERE asset = assets.seq) AS has_object,
               (SELECT json_group_array(labels.name ORDER BY labels.name) FROM asset_labels JOIN labels ON labels.seq = label
                WHERE asset = assets.seq) AS label_names
             FROM assets WHERE project = ? ORDER BY seq`,
            projectNumber(statements, project_id),
          )
          .map((row) => ({
            asset_id: row.asset_id,
            filename: row.filename,
            mime_type: row.mime_type,
            status: row.status,
            size_in_bytes: row.size_in_bytes,
            /** MD5 of the accepted bytes; null before they are accepted. */
            md5: row.md5,
            created_at: isoTime(row.created_at_ms),
            labels: JSON.parse(row.label_names) as string[],
            /** True for a slot without bytes. */
            bare: row.has_object === 0,
          })),
      ),
    /** The stored bytes of an asset. */
    readBlob: (asset_id: string): Buffer =>
      reading((database) => {
        const asset = openAssetStore(database).findAnywhere(asset_id)
        const place = asset && openObjectStore(database).placeOf(asset.seq)
        if (!place) throw new Error(`the asset ${asset_id} has no bytes`)
        return 'bytes' in place ? place.bytes : readFileSync(join(paths.objects, place.file))
      }),
    /** Oldest first. */
    chats: (project_id: string) =>
      reading((database, statements) =>
        statements
          .all<ChatRow>(
            'SELECT * FROM chats WHERE project = ? ORDER BY seq',
            projectNumber(statements, project_id),
          )
          .map(({ seq, chat_id, title, created_at_ms }) => ({
            chat_id,
            title,
            created_at: isoTime(created_at_ms),
            messages: openChatStore(database)
              .messages(seq)
              .map(({ message_id, status, prompt, response, scope }) => ({
                message_id,
                status,
                prompt,
                response,
                /** Null: the whole project. */
                scope: JSON.parse(scope ?? 'null') as ChatScope | null,
              })),
          })),
      ),
  }
}
