/**
 * Whether this process is not root, as tests of `what` require. If it is root, it prints that they
 * are skipped. `npm run test:root` runs each file that imports this module, directly or not;
 * `.ci/run` does so as root. Files whose tests all need root are named *.root.ts, and `npm test`
 * does not run them.
 */
export function isNotRoot(what: string): boolean {
  if (process.getuid?.() === 0) return false
  console.log(`skipped: ${what}, because this is not root`)
  return true
}
