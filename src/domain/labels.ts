import { control_characters, hasCharacters } from '../base/text/format.ts'
import { pathMatcher } from '../base/text/ignore-patterns.ts'

export interface LabelSettings {
  /** A label of all files, or labels of the files that match a pattern as in gitignore(5). */
  labels: readonly (string | { path: string; add: readonly string[] })[]
  /** The path's directories whose names are labels: none, the first, or every one. */
  label_from: 'none' | 'first_folder' | 'every_folder'
}

/** More labels tell a user nothing, and each one costs a call. Those of `labels` come first. */
const max_labels_per_asset = 100

/** The labels of one path, or of several together. */
export interface GivenLabels {
  /** Labels by `labels`, with the pattern of the rule; undefined: a label of all files. */
  by_rule: Map<string, string | undefined>
  by_folder: Set<string>
}

/** Compiles the settings. The result adds the labels of one path of the folder to `given`. */
export function labelGiver({
  labels,
  label_from,
}: LabelSettings): (path: string, given: GivenLabels) => void {
  const rules = labels.map((rule) => {
    const { path, add } = typeof rule === 'string' ? { path: undefined, add: [rule] } : rule
    return { path, add, matches: pathMatcher(path === undefined ? [] : [path]) }
  })
  return (path, { by_rule, by_folder }) => {
    for (const rule of rules) {
      const names = rule.add.filter((name) => !by_rule.has(name))
      if (names.length > 0 && rule.matches(path)) {
        for (const name of names) by_rule.set(name, rule.path)
      }
    }
    const folders = label_from === 'none' ? [] : path.split('/').slice(0, -1)
    for (const name of label_from === 'first_folder' ? folders.slice(0, 1) : folders) {
      // The service takes no shorter or longer names, and a label of two lines breaks every list.
      if (hasCharacters(name, 2, 255) && !control_characters.test(name)) by_folder.add(name)
    }
  }
}

export function labelNames({ by_rule, by_folder }: GivenLabels): string[] {
  const names = new Set([...[...by_rule.keys()].sort(), ...[...by_folder].sort()])
  return [...names].slice(0, max_labels_per_asset).sort()
}
