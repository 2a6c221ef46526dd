import type { OPS, Util } from 'unpdf/pdfjs'

type Matrix = readonly number[]
/** Left, bottom, right, top. */
type Box = readonly [number, number, number, number]

interface OperatorList {
  fnArray: readonly number[]
  argsArray: readonly unknown[]
}

interface Glyph {
  unicode: string
}

/** So many rounded shapes that a page without a word has its letters as shapes. */
export const min_outlines = 100
/** Of the page's height: the lines of a text that is stored as small pictures are this near. */
const max_gap = 1 / 80
/** More pictures apart from each other than this are small ones. */
const max_patches = 256
/** A scan has some thousands of tiles at most. A mosaic of more would take seconds to join. */
const max_pictures = 20_000

/** Of a letter's size / 1,000: a larger gap between two letters parts words. */
const min_word_gap = 200

interface Library {
  OPS: typeof OPS
  Util: typeof Util
}

/** What is drawn on a page, by the operators that pdf.js gives. */
export function drawnOn(list: OperatorList, view: readonly number[], library: Library) {
  const page: Box = [view[0]!, view[1]!, view[2]!, view[3]!]
  const drawing = new PageDrawing(page, library)
  for (const [at, operator] of list.fnArray.entries()) {
    drawing.operate(operator, (list.argsArray[at] ?? []) as readonly unknown[])
  }
  return drawing
}

class PageDrawing {
  /** The words in the appearance of each note, field or signature by its id. */
  readonly appearances = new Map<string, string>()
  /** Filled shapes with a curve, at most as large as a letter. */
  outlines = 0
  readonly #page: Box
  readonly #ops: typeof OPS
  readonly #util: typeof Util
  /** Areas of pictures that touch each other: scanners cut a page into strips and tiles. */
  #patches: Box[] = []
  #matrix: Matrix = [1, 0, 0, 1, 0, 0]
  readonly #saved: Matrix[] = []
  #pictures = 0
  #fills_with_picture = false
  #annotation: string | undefined

  constructor(page: Box, library: Library) {
    this.#page = page
    this.#ops = library.OPS
    this.#util = library.Util
  }

  /** The share of the page that its largest picture covers, 0 to 1. */
  get picture_share(): number {
    return Math.max(0, ...this.#patches.map(areaOf)) / Math.max(1, areaOf(this.#page))
  }

  operate(operator: number, args: readonly unknown[]): void {
    const ops = this.#ops
    switch (operator) {
      case ops.save:
        this.#saved.push(this.#matrix)
        break
      case ops.restore:
      case ops.paintFormXObjectEnd:
      case ops.endAnnotation:
        if (operator === ops.endAnnotation) this.#annotation = undefined
        this.#matrix = this.#saved.pop() ?? this.#matrix
        break
      case ops.transform:
        this.#transform(args)
        break
      case ops.paintFormXObjectBegin:
        this.#saved.push(this.#matrix)
        this.#transform(args[0])
        break
      case ops.beginAnnotation:
        this.#annotation = args[0] as string
        this.#saved.push(this.#matrix)
        this.#matrix = [1, 0, 0, 1, 0, 0]
        this.#transform(args[2])
        this.#transform(args[3])
        break
      case ops.paintImageXObject:
      case ops.paintImageMaskXObject:
      case ops.paintInlineImageXObject:
        this.#paint([0, 0, 1, 1])
        break
      case ops.setFillColorN:
        this.#fills_with_picture = this.#isPicturePattern(args)
        break
      case ops.setFillRGBColor:
        this.#fills_with_picture = false
        break
      case ops.constructPath:
        this.#fill(args)
        break
      case ops.moveText:
      case ops.nextLine:
      case ops.setLeadingMoveText:
      case ops.setTextMatrix:
        this.#write('\n')
        break
      case ops.showText:
        this.#write((args[0] as readonly (Glyph | number)[]).map(textOf).join(''))
    }
  }

  #write(text: string): void {
    const id = this.#annotation
    if (id !== undefined) this.appearances.set(id, (this.appearances.get(id) ?? '') + text)
  }

  #transform(matrix: unknown): void {
    if (!isNumbers(matrix) || matrix.length < 6) return
    this.#matrix = this.#util.transform(this.#matrix, matrix)
  }

  #isPicturePattern([kind, , list]: readonly unknown[]): boolean {
    if (kind !== 'TilingPattern') return false
    const { fnArray } = list as OperatorList
    return fnArray.includes(this.#ops.paintImageXObject)
  }

  /** `path`: the operator that ends it, its points, and the box around them. */
  #fill(path: readonly unknown[]): void {
    const [operator, points, box] = path
    const { fill, eoFill, fillStroke, eoFillStroke, closeFillStroke, closeEOFillStroke } = this.#ops
    const fills = [fill, eoFill, fillStroke, eoFillStroke, closeFillStroke, closeEOFillStroke]
    if (!fills.includes(operator as number) || !isNumbers(box) || box.length < 4) return
    const place: Box = [box[0]!, box[1]!, box[2]!, box[3]!]
    if (this.#fills_with_picture) this.#paint(place)
    else this.outlines += curvedShapes((points as readonly unknown[])[0])
  }

  /** Notes a picture that fills a box, and joins it with the patches that it touches. */
  #paint(box: Box): void {
    if (++this.#pictures > max_pictures) return
    const placed: Box = [Infinity, Infinity, -Infinity, -Infinity]
    this.#util.axialAlignedBoundingBox(box, this.#matrix, placed)
    const patch = this.#util.intersect(placed, this.#page) as Box | null
    if (patch === null || !(areaOf(patch) > 0)) return
    const apart: Box[] = []
    for (const other of this.#patches) {
      if (this.#isNear(patch, other)) this.#util.rectBoundingBox(...other, patch)
      else apart.push(other)
    }
    if (apart.length < max_patches) apart.push(patch)
    this.#patches = apart
  }

  #isNear([left, bottom, right, top]: Box, other: Box): boolean {
    const gap = (this.#page[3] - this.#page[1]) * max_gap
    const around: Box = [left - gap, bottom - gap, right + gap, top + gap]
    return this.#util.intersect(around, other) !== null
  }
}

function textOf(glyph: Glyph | number): string {
  if (typeof glyph !== 'number') return glyph.unicode
  return -glyph > min_word_gap ? ' ' : ''
}

/** How many parts of a path have a curve. A number names each step: move 0, curves 2 and 3. */
function curvedShapes(points: unknown): number {
  if (!isNumbers(points)) return 0
  const coordinates = [2, 2, 6, 4, 0]
  let shapes = 0
  let is_curved = false
  for (let at = 0; at < points.length; at += 1 + (coordinates[points[at]!] ?? 0)) {
    const step = points[at]
    if (step === 0) is_curved = false
    if ((step !== 2 && step !== 3) || is_curved) continue
    is_curved = true
    shapes++
  }
  return shapes
}

function isNumbers(value: unknown): value is ArrayLike<number> & readonly number[] {
  return Array.isArray(value) || value instanceof Float32Array
}

function areaOf([left, bottom, right, top]: Box): number {
  return (right - left) * (top - bottom)
}
