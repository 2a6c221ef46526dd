import { z } from 'zod'
import { listEnvelope } from '../envelope.ts'
import { idSchema } from '../identifiers.ts'
import { label_name_longest, label_name_shortest, text } from '../limits.ts'

const labelName = text(label_name_shortest, label_name_longest).meta({
  description: 'A name for people, unique in the project.',
  examples: ['Contracts'],
})

const color = z
  .string()
  .regex(/^#[0-9a-fA-F]{6}$/, { error: 'must be a colour of the form #rrggbb' })
  .meta({ description: 'Colour, #rrggbb.', examples: ['#2f80ed'] })

const icon = text(1, 64).meta({ description: 'The name of an icon, or an emoji.', examples: ['folder'] })

export const labelCreate = z
  .strictObject({ name: labelName, color: color.optional(), icon: icon.optional() })
  .meta({ id: 'LabelCreate' })

export const labelUpdate = z
  .strictObject({ name: labelName.optional(), color: color.optional(), icon: icon.optional() })
  .meta({ id: 'LabelUpdate', description: 'Fields that are left out stay as they are.' })

export const labelRecord = z
  .object({ label_id: idSchema('label'), name: labelName, color: color.optional(), icon: icon.optional() })
  .meta({ id: 'Label' })

/** A label as an asset carries it. */
export const labelReference = z
  .object({ label_id: idSchema('label'), name: labelName })
  .meta({ id: 'LabelReference', examples: [{ label_id: 'label_4f7k2m9q0x3c8v1b6n5z', name: 'Contracts' }] })

export const labelList = listEnvelope(labelRecord, 'label').meta({
  id: 'LabelList',
  description: 'By name. One full page: has_more is always false.',
})

export const labelAttach = z
  .strictObject({ label_name: labelName })
  .meta({ id: 'LabelAttach', description: 'By name, not by id: a label that does not exist yet is made.' })

export type LabelReference = z.infer<typeof labelReference>
