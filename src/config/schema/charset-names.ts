/** Charsets in which a text cannot be told from others by its bytes alone. UTF-8 is always seen. */
export const charset_names = [
  ...['windows-1250', 'windows-1251', 'windows-1252', 'windows-1253', 'windows-1254'],
  ...['windows-1255', 'windows-1256', 'windows-1257', 'windows-1258', 'windows-874'],
  ...['iso-8859-1', 'iso-8859-2', 'iso-8859-5', 'iso-8859-6', 'iso-8859-7', 'iso-8859-15'],
  ...['cp437', 'cp737', 'cp775', 'cp850', 'cp852', 'cp857', 'cp860', 'cp862', 'cp863', 'cp865'],
  ...['cp866', 'macintosh', 'x-mac-ce', 'x-mac-cyrillic', 'koi8-r', 'koi8-u', 'viscii'],
  ...['shift_jis', 'euc-jp', 'iso-2022-jp', 'gb18030', 'big5', 'euc-kr'],
]
