/** What prompts tell people as it happens; `run` names the prompt and the due time. Nothing is decided by it. */
export interface PromptReport {
  asked(run: string): void
  answered(run: string): void
  written(run: string, path: string): void
  skipped(reason: string, run: string): void
  /** A person must look. */
  failed(reason: string, run: string): void
  delivered(run: string, target: string): void
  /** Set back, to be tried again by itself. */
  later(reason: string, run: string): void
  fault(where: string, error: unknown): void
}
