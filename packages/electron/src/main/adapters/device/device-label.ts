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
  // Most host names are tidy, and the classes of Unicode below take a millisecond to compile at every launch.
  if (text.length <= longestLabel && /^[\w-]+$/.test(text)) return text
  const visible = text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ').replace(/\s+/gu, ' ')
  // Count code points, so that no character is cut in two.
  return Array.from(visible.trim()).slice(0, longestLabel).join('').trim()
}
