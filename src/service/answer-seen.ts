/** An answer as it goes out, for those who check it. */
export interface AnswerSeen {
  method: string
  /** Path and query. */
  url: string
  status: number
  /** Content-Type; empty where there is no body. */
  type: string
  body: string
}
