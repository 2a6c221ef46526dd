/** Stands for words about a content that may name a file of another folder. */
export const words_not_shown =
  'the reason is not shown, because it may name a file of a folder that you do not see: ask your administrator'

/**
 * SQL that is true if a file of another folder than those of `sees` has or had a content. The words
 * of the service and of the ledger name the file that was tried, which may be that one. `sees`: SQL
 * for a JSON list of names; NULL stands for all folders.
 */
export function isHeldElsewhere(content: string, sees: string): string {
  return `${sees} IS NOT NULL AND EXISTS (SELECT 1 FROM files AS holder JOIN folders AS of_holder ON of_holder.id = holder.folder
      WHERE holder.content = ${content} AND of_holder.name NOT IN (SELECT value FROM json_each(${sees})))`
}

/** SQL for words about a row of `contents`, as a user of these folders may read them. */
export function shownWords(words: string, sees: string): string {
  return `iif(${words} IS NOT NULL AND ${isHeldElsewhere('contents.id', sees)}, '${words_not_shown}', ${words})`
}
