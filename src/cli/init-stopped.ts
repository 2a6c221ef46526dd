import { SluiceError } from '../base/errors.ts'

/** The end of the wizard by Ctrl-C, a signal or the end of its input; only its last step writes anything. */
export function initStopped(cause?: unknown): SluiceError {
  return new SluiceError({ code: 'answer.stopped', message: 'stopped: nothing was written', cause })
}

/** Error `answer.stopped`. */
export function refuseStopped(stopped: AbortSignal): void {
  if (stopped.aborted) throw initStopped()
}
