import type { PDFDocumentProxy } from 'unpdf/pdfjs'

type Annotations = Awaited<
  ReturnType<Awaited<ReturnType<PDFDocumentProxy['getPage']>>['getAnnotations']>
>

/** By the index of the page. */
export type AnnotationsByPage = ReadonlyMap<number, Annotations>

/**
 * The annotations of all pages except links. With links, pdf.js reads each page a second time for
 * the words below them. Undefined if a page is broken.
 */
export async function annotationsOf(
  document: PDFDocumentProxy,
): Promise<AnnotationsByPage | undefined> {
  const { AnnotationType } = await (await import('unpdf')).getResolvedPDFJS()
  // Kinds that pdf.js does not know have no type.
  const types = new Set([...Object.values(AnnotationType), undefined]) as Set<number>
  types.delete(AnnotationType.LINK)
  const found: Annotations | undefined = await document
    .getAnnotationsByType(types, new Set())
    .catch(() => undefined)
  if (!found) return undefined
  const by_page = new Map<number, Annotations>()
  for (const one of found) {
    const page = by_page.get(one.pageIndex)
    if (page) page.push(one)
    else by_page.set(one.pageIndex, [one])
  }
  return by_page
}
