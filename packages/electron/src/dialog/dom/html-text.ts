import { type Content, flatten } from './element.ts'

/** Writes content as HTML. */
export function htmlText(content: readonly Content[]): string {
  const pieces = flatten(content).map((item) => {
    if (typeof item === 'string') return escaped(item)
    const { tag, attributes } = item
    const written = Object.entries(attributes).map(([name, value]) =>
      value === null ? '' : ` ${name}="${escaped(value)}"`,
    )
    const end = tag === 'input' ? '' : `${htmlText(item.content)}</${tag}>`
    return `<${tag}${written.join('')}>${end}`
  })
  return pieces.join('')
}

function escaped(text: string): string {
  return text.replace(/[&<>"]/gu, (character) => `&#${character.charCodeAt(0)};`)
}
