import { freemem } from 'node:os'

/** What this process can still take before the system or its control group has none left. */
export function freeMemory_bytes(): number {
  // From 20.13 on; what a control group allows is 0 where there is none.
  return process.availableMemory?.() || freemem()
}
