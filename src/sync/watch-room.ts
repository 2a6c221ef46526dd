/** The inotify watches that the folders of this process mean to take: the kernel counts all of them together. */
export class WatchRoom {
  readonly #taken = new Map<string, number>()

  /** Instead of what this folder meant to take before. */
  take(folder: string, watches: number): void {
    this.#taken.set(folder, watches)
  }

  free(folder: string): void {
    this.#taken.delete(folder)
  }

  takenBesides(folder: string): number {
    return [...this.#taken].reduce((sum, [name, watches]) => (name === folder ? sum : sum + watches), 0)
  }
}
