// Setup files are evaluated for each test file, what they import once for all files of a process: the threads are kept there.
import './warm-worker.ts'
