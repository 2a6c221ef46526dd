import { fileURLToPath } from 'node:url'

/**
 * A program that treats its process as the name of the file says: `spins`, `waits`, `eats buffers`,
 * `eats the heap`, `dies`, …
 */
export const hostile_program = fileURLToPath(new URL('hostile-program.mjs', import.meta.url))
