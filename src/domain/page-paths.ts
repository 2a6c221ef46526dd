/** The page of a file, below the path of Sluice. */
export function filePath({ folder, path }: { folder: string; path: string }): string {
  return `/file?${String(new URLSearchParams({ folder, path }))}`
}
