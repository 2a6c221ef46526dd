/** A short text for people and a code for programs; never holds a secret. */
export interface FaultNote {
  code: string
  message: string
}
