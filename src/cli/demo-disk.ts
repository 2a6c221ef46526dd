import { isUtf8 } from 'node:buffer'
import { type Dirent, lstatSync, readdirSync } from 'node:fs'
import type { Ignored, IgnoreRules } from '../disk/ignore.ts'

/** What lies in a folder, counted apart from the daemon: the number that all others must add up to. */
export interface DiskCount {
  /** Regular files, as `find -xdev -type f` counts them. */
  files: number
  /** How many of them each rule keeps out; a directory's rule counts for all files below it. */
  ignored: { rule: Ignored; files: number; example: string }[]
  ignored_files: number
  /** Their names are not UTF-8: they cannot be named to a service. */
  odd_names: number
  unreadable_directories: number
}

export function countOnDisk(root: string, rules: IgnoreRules): DiskCount {
  const count: DiskCount = { files: 0, ignored: [], ignored_files: 0, odd_names: 0, unreadable_directories: 0 }
  const by_rule = new Map<string, DiskCount['ignored'][number]>()
  const device = lstatSync(`${root}/.`).dev

  function ignore(rule: Ignored, example: string): void {
    const key = `${rule.source}\n${rule.rule}`
    const group = by_rule.get(key) ?? { rule, files: 0, example }
    by_rule.set(key, group)
    group.files++
    count.ignored_files++
  }

  /** `path` as Linux has it, one character a byte; `rule`: a directory above is ignored; `odd`: has a name that is not UTF-8. */
  function walk(path: string, above: { rule?: Ignored; odd: boolean }): void {
    for (const entry of entriesOf(root, path, count)) {
      const inner = path === '' ? entry.name : `${path}/${entry.name}`
      const odd = above.odd || !isUtf8(Buffer.from(entry.name, 'latin1'))
      const kind = entry.isDirectory() ? 'directory' : 'file'
      if (kind === 'file' && !entry.isFile()) continue
      const name = Buffer.from(inner, 'latin1').toString('utf8')
      const verdict = above.rule ?? (odd ? undefined : ignoredBy(rules, name, kind))
      if (kind === 'directory') {
        if (lstatSync(onDisk(root, inner)).dev === device) walk(inner, { odd, ...(verdict ? { rule: verdict } : {}) })
        continue
      }
      count.files++
      if (verdict) ignore(verdict, name)
      else if (odd) count.odd_names++
    }
  }

  walk('', { odd: false })
  count.ignored = [...by_rule.values()].sort((a, b) => b.files - a.files)
  return count
}

function ignoredBy(rules: IgnoreRules, path: string, kind: 'file' | 'directory'): Ignored | undefined {
  const verdict = rules.verdict(path, kind)
  return verdict.ignored ? verdict : undefined
}

function entriesOf(root: string, path: string, count: DiskCount): Dirent[] {
  try {
    return readdirSync(onDisk(root, path), { withFileTypes: true, encoding: 'latin1' })
  } catch {
    // find(1) says so and goes on; so does this.
    count.unreadable_directories++
    return []
  }
}

/** The root is text, what is below it bytes. */
function onDisk(root: string, path: string): Buffer {
  return Buffer.concat([Buffer.from(`${root}/`), Buffer.from(path, 'latin1')])
}
