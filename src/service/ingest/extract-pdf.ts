import { getDocumentProxy } from 'unpdf'
import { type ExtractLimits, GrowingText, unreadable } from './extract-limits.ts'

/** Reads one page at a time to save memory. A PDF that opens without a password is read. */
export async function extractPdf(bytes: Buffer, limits: ExtractLimits): Promise<string> {
  const document = await open(bytes)
  try {
    return await textOf(document, limits)
  } finally {
    await document.destroy()
  }
}

async function textOf(document: Awaited<ReturnType<typeof open>>, limits: ExtractLimits): Promise<string> {
  const pages = new GrowingText(limits)
  for (let number = 1; number <= document.numPages; number++) {
    const page = await document.getPage(number)
    const { items } = await page.getTextContent()
    if (number > 1) pages.add('\n\n')
    pages.add(items.map((item) => ('str' in item ? `${item.str}${item.hasEOL ? '\n' : ''}` : '')).join(''))
    page.cleanup()
  }
  const text = pages.toString()
  if (text.trim() === '') throw unreadable('holds no text, only pictures of pages at most')
  return text
}

async function open(bytes: Buffer) {
  try {
    return await getDocumentProxy(new Uint8Array(bytes))
  } catch (error) {
    if ((error as Error).name === 'PasswordException') throw unreadable('encrypted')
    throw error
  }
}
