import { statSync } from 'node:fs'
import type { Config, DeliveryConfig } from './config.ts'

/**
 * A warning for each file that holds a secret of a receiver and is open to others, as for the token's. One that is not there, or may
 * not be looked at, is told when it is needed: it may come later, and its directory may be for the daemon's user alone.
 */
export function openSecretFiles({ prompts, alerts }: Config): string[] {
  const targets = [...prompts.flatMap(({ deliver }) => deliver), ...alerts.deliver]
  const files = new Set([...targets.flatMap(secretFilesOf), ...(alerts.ping?.url_file ? [alerts.ping.url_file] : [])])
  return [...files]
    .filter(isOpen)
    .map((file) => `the secret file ${file} is open to group or others: chmod 600 ${file}`)
}

function secretFilesOf(target: DeliveryConfig): string[] {
  const files =
    target.kind === 'webhook'
      ? [target.url_file, target.secret_file]
      : [target.kind === 'email' ? target.smtp.password_file : undefined]
  return files.filter((file) => file !== undefined)
}

function isOpen(file: string): boolean {
  try {
    return (statSync(file).mode & 0o077) !== 0
  } catch {
    return false
  }
}
