const works: (() => Promise<void>)[] = []

/** `work` must be over before the process of a command ends. It has a time limit of its own. */
export function beforeEnd(work: () => Promise<void>): void {
  works.push(work)
}

export async function finishLastWorks(): Promise<void> {
  await Promise.all(works.map((work) => work()))
}
