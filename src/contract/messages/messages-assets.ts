import { z } from 'zod'
import { listEnvelope, openEnum, timestamp } from '../envelope.ts'
import { idSchema, text } from '../field-schemas.ts'
import { md5_pattern, mime_type_pattern } from '../identifiers.ts'
import {
  max_description_length,
  max_filename_length,
  max_label_name_length,
  max_mime_type_length,
  max_name_length,
  min_label_name_length,
} from '../limits.ts'

const labelName = text(min_label_name_length, max_label_name_length).meta({
  description: 'A name for people, unique in the project.',
  examples: ['Contracts'],
})

const color = z
  .string()
  .regex(/^#[0-9a-fA-F]{6}$/, { error: 'must be a colour of the form #rrggbb' })
  .meta({ description: 'Colour, #rrggbb.', examples: ['#2f80ed'] })

const icon = text(1, 64).meta({
  description: 'The name of an icon, or an emoji.',
  examples: ['folder'],
})

export const labelCreate = z
  .strictObject({ name: labelName, color: color.optional(), icon: icon.optional() })
  .meta({ id: 'LabelCreate' })

export const labelUpdate = z
  .strictObject({ name: labelName.optional(), color: color.optional(), icon: icon.optional() })
  .meta({ id: 'LabelUpdate', description: 'Fields that are left out stay as they are.' })

export const labelRecord = z
  .object({
    label_id: idSchema('label'),
    name: labelName,
    color: color.optional(),
    icon: icon.optional(),
  })
  .meta({ id: 'Label' })

/** A label of an asset: an item in lists of assets, and the answer to attaching a label. */
export const labelReference = z.object({ label_id: idSchema('label'), name: labelName }).meta({
  id: 'LabelReference',
  examples: [{ label_id: 'label_4f7k2m9q0x3c8v1b6n5z', name: 'Contracts' }],
})

export const labelList = listEnvelope(labelRecord, 'label').meta({
  id: 'LabelList',
  description: 'By name. One full page: has_more is always false.',
})

export const labelAttach = z.strictObject({ label_name: labelName }).meta({
  id: 'LabelAttach',
  description: 'By name, not by id: a label that does not exist yet is made.',
})

export type LabelReference = z.infer<typeof labelReference>

/**
 * `uploaded` means, against its name, a slot whose bytes were not yet accepted by `complete`.
 * `ready` and `failed` are final.
 */
const asset_statuses = ['uploaded', 'ingesting', 'ready', 'failed'] as const

const assetStatus = openEnum(asset_statuses).meta({
  description:
    'uploaded (a slot; the bytes were not handed over yet), ingesting, then ready or failed, which are final. ' +
    'Take a status that you do not know as "still going".',
})

const filename = text(1, max_filename_length).meta({
  description: 'Shown to people; may be a path.',
  examples: ['contracts/2026/lease.pdf'],
})

const mimeType = z
  .string()
  .max(max_mime_type_length)
  .regex(mime_type_pattern, { error: 'must be a media type such as text/plain' })
  .meta({ description: 'The media type of the bytes.', examples: ['application/pdf'] })

export const assetCreate = z
  .strictObject({
    filename,
    mime_type: mimeType,
    md5: z
      .string()
      .regex(md5_pattern, { error: 'must be 32 hexadecimal digits' })
      .toLowerCase()
      .optional()
      .meta({
        description:
          'MD5 of the bytes, hexadecimal. When the project already holds this content, no upload is needed.',
        examples: ['9e107d9d372bb6826bd81d3542a419d6'],
      }),
  })
  .meta({ id: 'AssetCreate' })

export const assetSlot = z
  .object({
    asset_id: idSchema('asset'),
    already_exists: z
      .literal(false)
      .meta({ description: 'False here; clients take an absent one as false.' }),
    upload_url: z.url().meta({
      examples: [
        'http://127.0.0.1:4001/objects/asset_4f7k2m9q0x3c8v1b6n5z?expires=1769855400&signature=9e107d9d',
      ],
      description:
        'Signed, on an origin of its own: not this service. Send the bytes there before expires_at, with exactly the ' +
        'headers given and a Content-Length, never with X-API-Key or X-Project-Id. A secret until it expires.',
    }),
    upload_method: z.literal('PUT').meta({ description: 'Refuse what you do not know.' }),
    upload_headers: z.record(z.string(), z.string()).meta({
      description: 'Sent verbatim, and nothing besides.',
      examples: [{ 'x-ms-blob-type': 'BlockBlob', 'content-type': 'application/pdf' }],
    }),
    expires_at: timestamp,
  })
  .meta({
    id: 'AssetSlot',
    description: 'A slot: the bytes have to be sent, then the slot completed.',
  })

export const assetExists = z
  .object({
    asset_id: idSchema('asset'),
    already_exists: z.literal(true),
    status: assetStatus,
  })
  .meta({
    id: 'AssetExists',
    description: 'The project holds this content already. Its status may not be final yet.',
  })

/** Code of each failed ingest. It is in no error answer, so it is not among the error codes. */
export const ingest_error_code = 'publicapi.asset.ingest.unreadable'

const read_units = ['page', 'slide', 'sheet', 'attachment', 'part'] as const

const reading = z
  .object({
    of: z
      .int()
      .min(1)
      .meta({ description: 'Pages, slides, sheets, attachments or parts.', examples: [10] }),
    seen: z
      .int()
      .min(0)
      .meta({ description: 'How many of them the service could read.', examples: [1] }),
    unit: openEnum(read_units),
    why: z
      .string()
      .optional()
      .meta({ description: 'What is missing or in doubt.', examples: ['pages 2–10 are pictures'] }),
    text_md5: z
      .string()
      .regex(md5_pattern)
      .optional()
      .meta({
        description: 'MD5 of the text as UTF-8, with each run of white space as one space.',
        examples: ['9e107d9d372bb6826bd81d3542a419d6'],
      }),
  })
  .meta({
    id: 'AssetReading',
    description:
      'Beside ready, a field of this service: how much of the file was read. seen 0: nothing, found out later.',
  })

const ingestError = z
  .object({
    code: z.string().meta({ examples: [ingest_error_code] }),
    humane: z.string().meta({
      description: 'Why, for people.',
      examples: ['The file cannot be read: the service does not read this kind of file.'],
    }),
  })
  .meta({
    id: 'IngestError',
    description: 'Beside failed, a field of this service: why the file cannot be used.',
  })

const recordFields = {
  asset_id: idSchema('asset'),
  status: assetStatus,
  filename,
  mime_type: mimeType,
  size_in_bytes: z.int().min(0).meta({ description: '0 until the bytes were handed over.' }),
  created_at: timestamp,
  name: text(0, max_name_length).optional(),
  description: text(0, max_description_length).optional(),
  error: ingestError.optional(),
  reading: reading.optional(),
}

export const assetRecord = z.object(recordFields).meta({ id: 'Asset' })

const assetListItem = z
  .object({ ...recordFields, labels: z.array(labelReference) })
  .meta({ id: 'AssetListItem' })

export const assetList = listEnvelope(assetListItem, 'asset').meta({
  id: 'AssetList',
  description: 'Newest first.',
})

export const assetUpdate = z
  .strictObject({
    name: text(1, max_name_length).optional(),
    description: text(0, max_description_length).optional(),
  })
  .meta({
    id: 'AssetUpdate',
    description: 'Only when the asset is ready. Fields that are left out stay as they are.',
  })

export type AssetReading = z.infer<typeof reading>
export type ReadUnit = (typeof read_units)[number]
export type AssetStatus = (typeof asset_statuses)[number]
export type AssetCreate = z.infer<typeof assetCreate>
