import { localJourneyFiles } from './journey-files.ts'

// The local journeys, which `npm test` makes with the default profile alone, against what the hosted service was seen to do.
for (const file of localJourneyFiles()) await import(file)
