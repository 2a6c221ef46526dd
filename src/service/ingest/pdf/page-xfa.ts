import type { DocumentText } from '../document-text.ts'

/** A form in XFA as pdf.js lays it out: like elements of HTML. */
interface XfaNode {
  name?: string
  value?: unknown
  attributes?: Record<string, unknown>
  children?: readonly (XfaNode | undefined)[]
}

/** Adds the words of a form and what was typed into it or chosen; never a password. */
export function addXfa(node: XfaNode, text: DocumentText): void {
  const { name, value, attributes = {}, children = [] } = node
  const { type, checked, selected } = attributes
  const is_unchecked = (type === 'checkbox' || type === 'radio') && checked !== true
  if (type === 'password' || is_unchecked || (name === 'option' && selected !== true)) return
  for (const words of [value, attributes.value, attributes.textContent]) {
    if (typeof words === 'string') text.add(words)
  }
  for (const child of children) {
    if (child) addXfa(child, text)
  }
  if (name !== 'span' && name !== '#text') text.addLabel('\n')
}
