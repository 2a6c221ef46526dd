import type { Outcome } from '../../remote/outcome.ts'

/**
 * Creates assets whose media type names a charset. A service may refuse such a type: then the asset
 * is created without it, and so are the later ones of the project until the next start.
 */
export class TypeParameters {
  readonly #refused_by = new Set<string>()

  async create<Answer>(
    project_id: string,
    mime_type: string,
    create: (mime_type: string) => Promise<Outcome<Answer>>,
  ): Promise<Outcome<Answer>> {
    const [bare = mime_type] = mime_type.split(';')
    if (bare === mime_type || this.#refused_by.has(project_id)) return create(bare)
    const outcome = await create(mime_type)
    if (outcome.ok || outcome.failure.about !== 'content') return outcome
    const without = await create(bare)
    // If it fails, too, the charset is not the reason.
    if (without.ok) this.#refused_by.add(project_id)
    return without
  }
}
