import { nothing, type TemplateResult } from 'lit/html.js'

const attribute = /\s([.?@]?)([\w-]+)=$/u

/** A template as HTML, without what needs a script: listeners and properties are left out. */
export function htmlText(content: unknown): string {
  if (Array.isArray(content)) return content.map(htmlText).join('')
  if (isTemplate(content)) return templateText(content)
  return content === nothing || content === null || content === undefined ? '' : escaped(String(content))
}

function templateText({ strings, values }: TemplateResult): string {
  const pieces = values.map((value, index) => {
    const before = strings[index] ?? ''
    const [place, kind, name] = attribute.exec(before) ?? []
    if (place === undefined) return before + htmlText(value)
    const isLeftOut = kind === '?' ? value !== true : kind !== '' || value === nothing
    const text = kind === '?' ? '' : `="${escaped(String(value))}"`
    return before.slice(0, -place.length) + (isLeftOut ? '' : ` ${name}${text}`)
  })
  return pieces.join('') + strings.at(-1)
}

function isTemplate(content: unknown): content is TemplateResult {
  return typeof content === 'object' && content !== null && 'strings' in content
}

function escaped(text: string): string {
  return text.replace(/[&<>"]/gu, (character) => `&#${character.charCodeAt(0)};`)
}
