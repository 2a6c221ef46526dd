import { SluiceError } from '../base/run/errors.ts'
import { isoTime } from '../base/time/time.ts'
import type { ChatScope } from '../contract/messages/messages-chats.ts'
import type { Parts } from './parts.ts'
import { removeAsset } from './remove-asset.ts'

/** Access to the stored data beside the API, for operators and tests. */
export function inspectService(parts: Parts) {
  const { access, assets, objects, files, labels, chats } = parts

  function projectNumber(project_id: string): number {
    const project = access.projectNumber(project_id)
    if (project === undefined) throw unknown(`the project ${project_id} does not exist`)
    return project
  }

  return {
    /** Oldest first. */
    assets: (project_id: string) =>
      assets
        .inProject(projectNumber(project_id))
        .map(({ seq, asset_id, filename, mime_type, status, size_in_bytes, md5, created_at_ms, has_object }) => ({
          asset_id,
          filename,
          mime_type,
          status,
          size_in_bytes,
          /** MD5 of the accepted bytes; null before they are accepted. */
          md5,
          created_at: isoTime(created_at_ms),
          labels: labels.namesOn(seq),
          /** True for a slot without bytes. */
          bare: has_object === 0,
        })),
    /** The stored bytes of an asset. Error `service.unknown` if there are none. */
    readBlob(asset_id: string): Buffer {
      const asset = assets.findAnywhere(asset_id)
      const place = asset && objects.placeOf(asset.seq)
      if (!place) throw unknown(`the asset ${asset_id} has no bytes`)
      return 'bytes' in place ? place.bytes : files.read(place.file)
    },
    /** Removes an asset, like `DELETE` in the API. Returns false if there is none. */
    removeAsset: (asset_id: string) => removeAsset(parts, () => assets.findAnywhere(asset_id)),
    /** Oldest first. */
    chats: (project_id: string) =>
      chats.inProject(projectNumber(project_id)).map(({ seq, chat_id, title, created_at_ms }) => ({
        chat_id,
        title,
        created_at: isoTime(created_at_ms),
        messages: chats.messages(seq).map(({ message_id, status, prompt, response, scope }) => ({
          message_id,
          status,
          prompt,
          response,
          /** Null: the whole project. */
          scope: JSON.parse(scope ?? 'null') as ChatScope | null,
        })),
      })),
  }
}

function unknown(message: string): SluiceError {
  return new SluiceError({ code: 'service.unknown', message })
}
