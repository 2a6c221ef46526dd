#!/usr/bin/env node
// By default Node opens a debugger on this signal, which any user of the machine can reach. Many
// programs reopen their log on it, so it may come by mistake.
process.on('SIGUSR1', () => {})

// The program takes a quarter of a second to load, and the signal may come meanwhile.
await import('./program.ts')
