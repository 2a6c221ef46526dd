// vitest evaluates setup files for each test file, but their imports once per process: the threads
// live there.
import './warm-worker.ts'
