import { unicodeClass } from '../../../shared/unicode-class.ts'

const longestLabel = 64

/**
 * Returns a recognizable name for this computer: the host name without its domain, or the developer's own label. One
 * line, at most 64 characters, never empty.
 */
export function deviceLabel(hostname: string, override: string | undefined): string {
  const wanted = tidy(override ?? '')
  return wanted === '' ? tidy(hostname.split('.')[0] ?? '') || 'This computer' : wanted
}

function tidy(text: string): string {
  // Most host names are tidy.
  if (text.length <= longestLabel && /^[\w-]+$/.test(text)) return text
  const invisible = new RegExp(`[${['Cc', 'Cf', 'Zl', 'Zp'].map(unicodeClass).join('')}]+`, 'gu')
  const visible = text.replace(invisible, ' ').replace(/\s+/gu, ' ')
  // Count code points, so that no character is cut in two.
  return Array.from(visible.trim()).slice(0, longestLabel).join('').trim()
}
