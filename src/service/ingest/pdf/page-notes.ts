import type { DocumentText } from '../document-text.ts'

/** What pdf.js says of an annotation, as far as it is read here. */
interface Annotation {
  id: string
  subtype?: string
  contentsObj?: { str: string }
  richText?: { str: string } | null
  titleObj?: { str: string }
  hasAppearance?: boolean
  /** The lines of its appearance. Not of signatures, buttons and stamps. */
  textContent?: readonly string[]
  annotationFlags?: number
  /** `Group`: another one has its words, too. */
  replyType?: string
}

interface Widget extends Annotation {
  fieldType?: string
  fieldName?: string
  alternativeText?: string
  fieldValue?: unknown
  options?: readonly { exportValue: string; displayValue: string }[]
  password?: boolean
  pushButton?: boolean
  /** What the value is when this box or button of the field is checked. */
  exportValue?: string
  buttonValue?: string | null
}

interface Field {
  name: string
  label: string
  values: readonly string[]
}

/** A field as a page shows it. A password has no value, and a box only if it is checked. */
export function fieldOfWidget(widget: Widget): Field {
  const { fieldName: name = '', alternativeText, options = [], textContent = [] } = widget
  const checked = widget.buttonValue ?? widget.exportValue
  const given = stringsOf(widget.fieldValue).filter(
    (value) => checked === undefined || value === checked,
  )
  const values = given.map(
    (value) => options.find(({ exportValue }) => exportValue === value)?.displayValue ?? value,
  )
  const label = alternativeText || shortName(name)
  if (widget.password === true) return { name, label, values: [] }
  return { name, label, values: values.length > 0 ? values : [textContent.join('\n')] }
}

interface NamedField {
  name?: string
  type?: string
  value?: unknown
  password?: boolean
}

/** A field as the form lists it. */
export function fieldOfName({ name = '', type, value, password }: NamedField): Field {
  const is_silent = password === true || type === 'button'
  return { name, label: shortName(name), values: is_silent ? [] : stringsOf(value) }
}

/** Adds the values of fields, each with its label. `shown`: names that were read before. */
export function addFields(
  fields: readonly Field[],
  text: DocumentText,
  shown?: ReadonlySet<string>,
): void {
  for (const { name, label, values } of fields) {
    const value = values.join(', ').trim()
    if (value === '' || value === 'Off' || shown?.has(name)) continue
    text.addLabel(`\n${label}: `)
    text.add(value)
  }
}

/** Their words are of others: a popup repeats its note, a link shows words of the page. */
const silent_kinds = new Set(['Link', 'Popup', 'Widget'])

/** True if only the appearance of an annotation can have words: a signature, button or stamp. */
export function isDrawn(annotation: Widget): boolean {
  const { subtype = '', fieldType, pushButton, hasAppearance, textContent } = annotation
  if (!hasAppearance || textContent !== undefined || wordsOf(annotation) !== '') return false
  return fieldType === 'Sig' || pushButton === true || !silent_kinds.has(subtype)
}

/** Hidden and NoView, bits 2 and 6 of the flags (PDF 32000-1, table 165). */
const hidden_flags = 0b10_0010

/** Adds notes and comments, with their authors. */
export function addNotes(annotations: readonly Annotation[], text: DocumentText): void {
  for (const annotation of annotations) {
    const { subtype = '', titleObj, annotationFlags = 0, replyType } = annotation
    const words = wordsOf(annotation)
    const is_silent = silent_kinds.has(subtype) || replyType === 'Group'
    if (is_silent || (annotationFlags & hidden_flags) !== 0 || words === '') continue
    text.addLabel(titleObj?.str ? `\n\n${titleObj.str}: ` : '\n\n')
    text.add(words)
  }
}

function wordsOf({ contentsObj, richText, textContent }: Annotation): string {
  return (contentsObj?.str || richText?.str || textContent?.join('\n') || '').trim()
}

/** `form[0].page[0].name[0]` is `name`. */
function shortName(name: string): string {
  return name.slice(name.lastIndexOf('.') + 1).replace(/\[\d+\]$/, '')
}

function stringsOf(value: unknown): string[] {
  return [value].flat().filter((one): one is string => typeof one === 'string' && one !== '')
}
