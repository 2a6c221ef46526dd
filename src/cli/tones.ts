import type { Line } from '../status/lines.ts'
import type { Style, Styles } from './terminal.ts'

/** Gives lines the colours of a terminal. */
export function toned({ tone, text }: Line, styles: Styles): string {
  const plain: Style = (same) => same
  const by_tone: Record<Line['tone'], Style> = {
    plain,
    strong: styles.bold,
    good: styles.green,
    warn: styles.yellow,
    bad: styles.red,
    faint: styles.dim,
  }
  return by_tone[tone](text)
}
