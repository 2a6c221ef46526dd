/** Of a path in a folder, among those that are looked at now. */
export function lookKey(folder: string, path: string): string {
  return `${folder}\n${path}`
}
