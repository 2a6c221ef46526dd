import { isSluiceError, type SluiceError } from '../base/run/errors.ts'

/** Exit codes for the shell and systemd. From 64 on they are those of sysexits(3). */
export const exit_codes = {
  /** The command did all that it should. For a sync: every file is ready. */
  ok: 0,
  /** A fault of ours, or of the machine: a bug, a full disk, a damaged ledger. */
  fault: 1,
  /**
   * Some files are refused, blocked or not ready yet; a question has no answer (yet); a report is
   * not written; ledger, disk and service differ; no scan knows an explained path.
   */
  incomplete: 3,
  /** EX_USAGE: the command line is wrong. */
  usage: 64,
  /**
   * EX_NOPERM: the token is missing or refused, or does not reach the project; or this user may not
   * use the state directory.
   */
  refused: 77,
  /** EX_CONFIG: the configuration is missing or wrong. */
  config: 78,
  /** The user stopped a question before anything was done. Shells give this code after Ctrl-C. */
  stopped: 130,
} as const

export type ExitCode = (typeof exit_codes)[keyof typeof exit_codes]

/** Exit codes by the first word of an error's code. Any other word means `fault`. */
const by_area: Record<string, ExitCode> = {
  account: exit_codes.refused,
  answer: exit_codes.incomplete,
  project: exit_codes.refused,
  config: exit_codes.config,
  stopped: exit_codes.stopped,
  usage: exit_codes.usage,
}

export function exitCodeOf(error: unknown): ExitCode {
  if (!isSluiceError(error)) return exit_codes.fault
  return by_area[error.code.split('.')[0]!] ?? exit_codes.fault
}

/** For work that ended early: 77 where the token or the project is refused, else 3. */
export function incompleteCode(error: SluiceError): ExitCode {
  return exitCodeOf(error) === exit_codes.refused ? exit_codes.refused : exit_codes.incomplete
}
