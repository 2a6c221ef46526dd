import fs from 'node:fs'

/** Node's file calls before builtins.ts replaced them, for the sim itself. */
export const real = { ...fs }
