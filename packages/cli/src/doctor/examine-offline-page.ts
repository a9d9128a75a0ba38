import type { CommandContext } from '../command-context.ts'
import type { Finding } from './finding.ts'

/** Finds out whether a gateway serves its page for computers without internet. Returns `null` if no answer comes. */
export async function examineOfflinePage({
  baseUrl,
  terminal,
  timeoutMs,
}: CommandContext): Promise<Finding | null> {
  const check = 'offline page'
  const url = `${baseUrl.replace(/\/+$/u, '')}/offline`
  try {
    const signal = AbortSignal.any([terminal.signal, AbortSignal.timeout(timeoutMs)])
    const response = await fetch(url, { signal, redirect: 'manual' })
    const text = await response.text()
    if (response.status === 200) return { check, verdict: 'good', detail: `on: ${url}` }
    const detail = text.startsWith('Offline activation is not set up')
      ? 'off. LATCHKEY_OFFLINE_DAYS in the gateway’s settings turns it on'
      : `off, or a proxy doesn’t forward the path /offline (status ${response.status})`
    return { check, verdict: 'note', detail }
  } catch (error) {
    if (terminal.signal.aborted) throw error
    return null
  }
}
