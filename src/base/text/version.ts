import { readFileSync } from 'node:fs'

/** The version in package.json. The relative path is the same from src/ and from dist/. */
export function programVersion(): string {
  const { version } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'))
  return version
}
