import { SluiceError } from '../base/errors.ts'
import { isoTime } from '../base/time.ts'
import type { AssetStatus } from '../contract/messages-assets.ts'
import type { ChatScope } from '../contract/messages-chats.ts'
import type { Stores } from './stores.ts'

/**
 * An asset as it is stored, with what the interface does not say.
 *
 * @internal
 */
export interface StoredAsset {
  asset_id: string
  filename: string
  mime_type: string
  status: AssetStatus
  size_in_bytes: number
  /** Of the accepted bytes; null before that. */
  md5: string | null
  created_at: string
  labels: string[]
  /** A slot without bytes. */
  bare: boolean
}

interface StoredChat {
  chat_id: string
  title: string | null
  created_at: string
  messages: StoredMessage[]
}

interface StoredMessage {
  message_id: string
  status: 'running' | 'done' | 'error'
  prompt: string
  response: string | null
  /** Null: the whole project. */
  scope: ChatScope | null
}

/** What the service knows, seen from this side of the wire: for people who run it and for tests. */
export interface InsideView {
  /** Oldest first. */
  assets(project_id: string): StoredAsset[]
  /** The bytes as stored. Error `service.unknown` where there are none. */
  readBlob(asset_id: string): Buffer
  /** Removes an asset as a person would; answers whether there was one. */
  removeAsset(asset_id: string): Promise<boolean>
  /** Oldest first. */
  chats(project_id: string): StoredChat[]
}

export function lookInside(stores: Stores, removeAsset: InsideView['removeAsset']): InsideView {
  const { access, assets, objects, files, labels, chats } = stores

  function projectNumber(project_id: string): number {
    const project = access.projectNumber(project_id)
    if (project === undefined) throw unknown(`there is no project ${project_id}`)
    return project
  }

  return {
    removeAsset,
    assets: (project_id) =>
      assets.inProject(projectNumber(project_id)).map((row) => ({
        asset_id: row.asset_id,
        filename: row.filename,
        mime_type: row.mime_type,
        status: row.status,
        size_in_bytes: row.size_in_bytes,
        md5: row.md5,
        created_at: isoTime(row.created_at_ms),
        labels: labels.namesOn(row.seq),
        bare: row.has_object === 0,
      })),
    readBlob(asset_id) {
      const asset = assets.findAnywhere(asset_id)
      const place = asset && objects.placeOf(asset.seq)
      if (!place) throw unknown(`there are no bytes of ${asset_id}`)
      return 'bytes' in place ? place.bytes : files.read(place.file)
    },
    chats: (project_id) =>
      chats.inProject(projectNumber(project_id)).map((chat) => ({
        chat_id: chat.chat_id,
        title: chat.title,
        created_at: isoTime(chat.created_at_ms),
        messages: chats.messages(chat.seq).map((message) => ({
          message_id: message.message_id,
          status: message.status,
          prompt: message.prompt,
          response: message.response,
          scope: message.scope === null ? null : (JSON.parse(message.scope) as ChatScope),
        })),
      })),
  }
}

function unknown(message: string): SluiceError {
  return new SluiceError({ code: 'service.unknown', message })
}
