import { execFileSync } from 'node:child_process'

/** Worker threads and child processes start from dist/, so the tests build it first. */
export function setup(): void {
  execFileSync('npm', ['run', '--silent', 'build'], { stdio: 'inherit' })
}
