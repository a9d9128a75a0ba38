import type { ServerResponse } from 'node:http'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { type Answer, answerHeaders, bodyText } from '../service/answer.ts'
import { removeFields, retypeFields, setFields } from './edit-fields.ts'
import { gzippedJson, hugeJson } from './endless-body.ts'
import type { ReplacingFault, SpoilingFault } from './fault.ts'
import { portalPage } from './portal-page.ts'

/** Where a fault is applied. */
export interface FaultStage {
  outgoing: ServerResponse
  /** The request's address, which redirects point back to. */
  url: URL
}

/** The result: the status sent, `null` for none, and whether the answer arrives completely. */
export interface Played {
  status: number | null
  outcome: 'answered' | 'pending' | 'cut'
  /** None of the fault's fields existed. */
  hasMissed?: boolean
}

const json = 'application/json'
const html = 'text/html; charset=utf-8'

/** Answers with the fault instead of the service's own answer. */
export function playReplacingFault(stage: FaultStage, rule: ReplacingFault): Played {
  switch (rule.fault) {
    case 'reset':
      stage.outgoing.socket?.resetAndDestroy()
      return { status: null, outcome: 'cut' }
    case 'timeout':
      return { status: null, outcome: 'pending' }
    case 'status':
      return sendStatus(stage, rule)
    case 'html':
      return sendText(stage, 200, html, portalPage)
    case 'empty':
      return sendText(stage, 200, json, '')
    case 'no-content':
      return sendText(stage, 204, null, '')
    case 'redirect':
      return sendRedirect(stage, rule)
    case 'huge-body':
      return sendStream(stage, {}, hugeJson(rule.bytes ?? 50 * 1024 * 1024))
    case 'gzip-bomb':
      return sendStream(stage, { 'content-encoding': 'gzip' }, gzippedJson(rule.bytes ?? 1024 * 1024 * 1024))
  }
}

/** Sends the service's own answer with the fault applied. */
export function playSpoilingFault(stage: FaultStage, rule: SpoilingFault, answer: Answer): Played {
  const { status } = answer
  const text = bodyText(answer)
  // Keep the original signature, because nobody on the network path can sign a changed answer again.
  const headers = answerHeaders(answer, text, stage.outgoing)
  switch (rule.fault) {
    case 'slow-drip':
      void drip(stage, answer, rule.chunkBytes ?? 1, rule.everyMs ?? 1000)
      return { status, outcome: 'answered' }
    case 'truncated':
      return sendText(stage, status, headers, text.slice(0, Math.floor(text.length / 2)))
    case 'cut':
      return cut(stage, answer)
    case 'content-type':
      return sendText(stage, status, { ...headers, 'content-type': rule.contentType }, text)
    case 'wrong-types':
      return sendEdited(stage, answer, (body) => retypeFields(body, rule.fields))
    case 'missing-fields':
      return sendEdited(stage, answer, (body) => removeFields(body, rule.fields))
    case 'set-fields':
      return sendEdited(stage, answer, (body) => setFields(body, rule.fields))
  }
}

function sendText(
  stage: FaultStage,
  status: number,
  head: Record<string, string> | string | null,
  text: string,
): Played {
  const bytes = Buffer.from(text)
  stage.outgoing.writeHead(status, {
    ...(typeof head === 'string' ? { 'content-type': head } : head),
    ...(status !== 204 && { 'content-length': bytes.length }),
  })
  stage.outgoing.end(bytes)
  return { status, outcome: 'answered' }
}

function sendStatus(stage: FaultStage, rule: ReplacingFault & { fault: 'status' }): Played {
  const { status, body = 'json', retryAfterSeconds, retryAfterForm } = rule
  if (retryAfterSeconds !== undefined) {
    const date = new Date(Date.now() + retryAfterSeconds * 1000).toUTCString()
    stage.outgoing.setHeader('retry-after', retryAfterForm === 'http-date' ? date : String(retryAfterSeconds))
  }
  // Without it, clients treat a 407 as malformed.
  if (status === 407) stage.outgoing.setHeader('proxy-authenticate', 'Basic realm="proxy"')
  return sendStatusBody(stage, status, body)
}

function sendStatusBody(stage: FaultStage, status: number, body: 'json' | 'text' | 'html' | 'empty'): Played {
  switch (body) {
    case 'json':
      return sendText(stage, status, json, JSON.stringify({ message: `Status ${status} on demand.` }))
    case 'text':
      return sendText(stage, status, 'text/plain; charset=utf-8', `Status ${status} on demand.`)
    case 'html':
      return sendText(stage, status, html, portalPage)
    case 'empty':
      return sendText(stage, status, null, '')
  }
}

function sendRedirect(stage: FaultStage, rule: ReplacingFault & { fault: 'redirect' }): Played {
  const { status = 302, to = 'same-origin' } = rule
  const target = new URL(stage.url)
  if (to === 'same-origin') target.searchParams.set('redirected', '1')
  const location = to === 'same-origin' ? target.href : new URL(`${target.pathname}${target.search}`, to).href
  stage.outgoing.setHeader('location', location)
  return sendText(stage, status, null, '')
}

function sendStream(stage: FaultStage, headers: Record<string, string>, body: Readable): Played {
  stage.outgoing.writeHead(200, { 'content-type': json, ...headers })
  // Clients are expected to disconnect early here.
  pipeline(body, stage.outgoing, () => {})
  return { status: 200, outcome: 'answered' }
}

function cut(stage: FaultStage, answer: Answer): Played {
  const text = bodyText(answer)
  const bytes = Buffer.from(text)
  stage.outgoing.writeHead(answer.status, {
    ...answerHeaders(answer, text, stage.outgoing),
    'content-length': bytes.length,
  })
  stage.outgoing.write(bytes.subarray(0, Math.floor(bytes.length / 2)), () => {
    // Not a reset, because the client could then lose the first half too.
    stage.outgoing.socket?.destroy()
  })
  return { status: answer.status, outcome: 'cut' }
}

async function drip(stage: FaultStage, answer: Answer, chunkBytes: number, everyMs: number): Promise<void> {
  const { outgoing } = stage
  const text = bodyText(answer)
  const bytes = Buffer.from(text)
  outgoing.writeHead(answer.status, {
    ...answerHeaders(answer, text, outgoing),
    'content-length': bytes.length,
  })
  outgoing.flushHeaders()
  for (let sent = 0; sent < bytes.length && !outgoing.destroyed; sent += chunkBytes) {
    outgoing.write(bytes.subarray(sent, sent + chunkBytes))
    await delay(everyMs, undefined, { ref: false })
  }
  outgoing.end()
}

function sendEdited(stage: FaultStage, answer: Answer, edit: (body: unknown) => boolean): Played {
  const body = structuredClone(answer.body)
  const hasEdited = edit(body)
  const headers = answerHeaders(answer, bodyText(answer), stage.outgoing)
  const played = sendText(stage, answer.status, headers, bodyText({ ...answer, body }))
  return hasEdited ? played : { ...played, hasMissed: true }
}
