/** The parts before the comma are limited, so that no text makes the pattern slow. */
export const data_uri =
  /\bdata:(?:[\w.+-]{1,80}\/[\w.+-]{1,80}(?:;[\w.=+-]{1,80}){0,8}|;base64),[^\s"'`<>()[\]{}]*/gi
/** Shorter ones are examples in a text about them. */
const min_length = 60

/** A text without the bytes of pictures and fonts in it, which nobody reads. */
export function withoutDataUris(text: string): string {
  return text.replace(data_uri, (uri) => (uri.length < min_length ? uri : ''))
}
