import { licenseWord, visibleText } from './find-uuid.ts'

/** At least 12 letters, digits and hyphens, with a letter and a digit among them: the form of a license key. */
const keyLike = /(?<![\w-])(?=[\w-]*\d)(?=[\w-]*[a-z])[\w-]{12,}/iu
/** An order word right before a UUID, with at most a word such as "number" between them. */
const orderBefore =
  /(?:order|orden|ordine|ordre|bestell|commande|pedido|注文|订单|訂單|주문|طلب)\p{L}*(?:[\s:#=_/-]|number|num[eé]ro|nummer|n[or]\b\.?|id|is|ist|lautet)*$/iu

/**
 * Whether a text says that its UUID isn't the license key: an order word introduces it, or a license word introduces
 * only another text in the form of a key.
 */
export function isIntroducedOtherwise(id: string, text: string): boolean {
  // White space may break a UUID anywhere.
  const written = new RegExp([...id].join('\\s*'), 'giu')
  const visible = visibleText(text).replace(written, id)
  const [first = '', ...others] = visible.split(id)
  const before = [first, ...others].slice(0, -1)
  if (before.length > 0 && before.every((label) => orderBefore.test(label.slice(-60)))) return true
  const introduced = visible
    .split(new RegExp(licenseWord, 'giu'))
    .slice(1)
    .map((after) => keyLike.exec(introducedLine(after))?.[0])
    .filter((key) => key !== undefined)
  return introduced.length > 0 && !introduced.some((key) => key.toLowerCase().includes(id))
}

/** Returns the rest of the line after a word, with the next line if no key is on it. */
function introducedLine(after: string): string {
  const [rest = '', next = ''] = after.split(/[\r\n]+\s*/u, 2)
  return `${rest}\n${next}`
}
