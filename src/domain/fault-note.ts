/** A fault as a short text for users and a code for programs. It never holds a secret. */
export interface FaultNote {
  code: string
  message: string
}
