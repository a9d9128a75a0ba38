import { licenseWord, visibleText } from './find-uuid.ts'

/**
 * At least 12 letters, digits and hyphens, with a letter and a digit among them: the form of a license key. A timestamp
 * such as 2026-11-24T18:04Z is none.
 */
const keyLike = /(?<![\w-])(?!\d{4}-\d\d-\d\dT)(?=[\w-]*\d)(?=[\w-]*[a-z])[\w-]{12,}/giu
/** An order word right before a UUID, with at most a word such as "number" between them. */
const orderBefore =
  /(?:order|orden|ordine|ordre|bestell|commande|pedido|注文|订单|訂單|주문|طلب)\p{L}*(?:[\s:#=_/-]|number|num[eé]ro|nummer|n[or]\b\.?|id|is|ist|lautet)*$/iu
/** A license word, and nothing but words up to the end: "license key for this" before "order". */
const licenseBefore = new RegExp(`(?:${licenseWord.source})[\\p{L}\\s]*$`, 'iu')
/** What a line above a UUID has if it is a label, such as "Order number" or "Your order:". "Thank you for your order" isn't. */
const labelSign = /[:#=]\s*$|number|num[eé]ro|nummer|\b(?:n[or]|id)\b|番号|号|번호|رقم|^\s*\S+\s*$/iu
/** How many characters of a label are read, in UTF-16 units. */
const longestLabel = 120

/**
 * Whether a text says that its UUID isn't the license key: an order word introduces it, or a license word introduces
 * only another text in the form of a key.
 */
export function isIntroducedOtherwise(id: string, text: string): boolean {
  // White space may break a UUID anywhere.
  const written = new RegExp([...id].join('\\s*'), 'giu')
  const visible = visibleText(text).replace(written, id)
  const before = visible.split(id).slice(0, -1)
  if (before.length > 0 && before.every(endsWithOrder)) return true
  const introduced = visible
    .split(new RegExp(licenseWord, 'giu'))
    .slice(1)
    .map((after) => keyIn(introducedLine(after)))
    .filter((key) => key !== undefined)
  return introduced.length > 0 && !introduced.some((key) => key.toLowerCase().includes(id))
}

/** Whether a text introduces what follows it as an order number. */
function endsWithOrder(text: string): boolean {
  const label = (
    text
      .trimEnd()
      .split(/[\r\n]/u)
      .at(-1) ?? ''
  ).slice(-longestLabel)
  const order = orderBefore.exec(label)
  if (order === null || licenseBefore.test(label.slice(0, order.index))) return false
  const isLineAbove = /[\r\n]/u.test(text.slice(text.trimEnd().length))
  return !isLineAbove || labelSign.test(label)
}

/** Returns the first text in the form of a key that isn't an order number. */
function keyIn(line: string): string | undefined {
  const isKey = ({ index }: RegExpExecArray): boolean =>
    !orderBefore.test(line.slice(Math.max(0, index - longestLabel), index))
  return [...line.matchAll(keyLike)].find(isKey)?.[0]
}

/** Returns the rest of the line after a word, with the next line if no key is on it. */
function introducedLine(after: string): string {
  const [rest = '', next = ''] = after.split(/[\r\n]+\s*/u, 2)
  return `${rest}\n${next}`
}
