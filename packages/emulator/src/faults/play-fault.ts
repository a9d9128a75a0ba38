import type { OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { pipeline, Readable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { createGzip } from 'node:zlib'
import { type Answer, answerHeaders, bodyText } from '../answer.ts'
import type { RequestRecord } from '../request-log.ts'
import type { FaultRule, RedirectFault, ReplacingFault, SpoilingFault, StatusFault } from './fault.ts'
import type { StrikingFaults } from './fault-rules.ts'

/** Where a fault is applied. */
export interface FaultStage {
  outgoing: ServerResponse
  /** The request's address, which redirects point back to. */
  url: URL
  /** The request in the log, where the outcome is noted. */
  record: RequestRecord
}

/**
 * Lets the service act at the moment that the faults allow.
 *
 * @param act Executes the request and returns the answer; called at most once.
 * @returns the service's answer, ready to send; `null` if a fault had its effect on the connection instead.
 */
export async function answerWithFaults(
  stage: FaultStage,
  { main, accompanying }: StrikingFaults,
  act: () => Answer,
): Promise<Answer | null> {
  const { outgoing, record } = stage
  record.faults = [...accompanying, ...(main === null ? [] : [main])].map(({ fault }) => fault)
  const wait = async (when: FaultRule['when']): Promise<void> => {
    for (const rule of accompanying) {
      // A delayed answer must not keep a process from exiting.
      if (rule.fault === 'delay' && (rule.when ?? 'before-acting') === when) {
        await delay(rule.delayMs, undefined, { ref: false })
      }
    }
  }
  for (const rule of accompanying) {
    if (rule.fault === 'date-missing') outgoing.sendDate = false
    if (rule.fault === 'date-shift') {
      outgoing.setHeader('date', new Date(Date.now() + rule.shiftMs).toUTCString())
    }
  }
  await wait('before-acting')
  const isSpoiling = main !== null && isSpoilingFault(main)
  const answer = main === null || isSpoiling || main.when === 'after-acting' ? act() : null
  await wait('after-acting')
  if (main === null) return answer
  if (!isSpoiling) return playReplacingFault(stage, main)
  return answer === null ? null : playSpoilingFault(stage, main, answer)
}

const spoilingFaults: ReadonlySet<string> = new Set<SpoilingFault['fault']>([
  'slow-drip',
  'truncated',
  'cut',
  'wrong-types',
  'missing-fields',
  'set-fields',
  'content-type',
])

function isSpoilingFault(rule: { fault: string }): rule is SpoilingFault {
  return spoilingFaults.has(rule.fault)
}

const json = 'application/json'
const html = 'text/html; charset=utf-8'

/** Answers with the fault instead of the service's own answer. Nothing is left to send. */
function playReplacingFault(stage: FaultStage, rule: ReplacingFault): null {
  switch (rule.fault) {
    case 'reset':
      stage.record.outcome = 'cut'
      stage.outgoing.socket?.resetAndDestroy()
      return null
    case 'timeout':
      return null
    case 'status':
      return sendStatus(stage, rule)
    case 'html':
      return sendText(stage, 200, { 'content-type': html }, portalPage)
    case 'empty':
      return sendText(stage, 200, { 'content-type': json }, '')
    case 'no-content':
      return sendText(stage, 204, {}, '')
    case 'redirect':
      return sendRedirect(stage, rule)
    case 'huge-body':
      return sendStream(stage, {}, hugeJson(rule.bytes ?? 50 * 1024 * 1024))
    case 'gzip-bomb': {
      // About a thousandth of the size.
      const body = pipeline(hugeJson(rule.bytes ?? 1024 * 1024 * 1024), createGzip(), () => {})
      return sendStream(stage, { 'content-encoding': 'gzip' }, body)
    }
  }
}

/** Sends the service's own answer with the fault applied. */
function playSpoilingFault(stage: FaultStage, rule: SpoilingFault, answer: Answer): null {
  const { outgoing, record } = stage
  const { status } = answer
  const text = bodyText(answer)
  const bytes = Buffer.from(text)
  // Keep the original signature, because nobody on the network path can sign a changed answer again.
  const headers = answerHeaders(answer, text, outgoing)
  const sendEdited = (paths: readonly string[], edit: Edit): null => {
    const body = structuredClone(answer.body)
    const edited = paths.map((path) => editField(body, path, edit))
    // Otherwise a misspelled field would look like a client that handles the fault.
    if (!edited.includes(true)) {
      record.faults = [...record.faults.slice(0, -1), `${rule.fault} (no such field)`]
    }
    return sendText(stage, status, headers, bodyText({ ...answer, body }))
  }
  switch (rule.fault) {
    case 'slow-drip':
      sendHead(stage, status, { ...headers, 'content-length': bytes.length })
      void drip(outgoing, bytes, rule.chunkBytes ?? 1, rule.everyMs ?? 1000)
      return null
    case 'truncated':
      return sendText(stage, status, headers, text.slice(0, Math.floor(text.length / 2)))
    case 'cut':
      sendHead(stage, status, { ...headers, 'content-length': bytes.length })
      record.outcome = 'cut'
      // Not a reset, because the client could then lose the first half too.
      outgoing.write(bytes.subarray(0, Math.floor(bytes.length / 2)), () => outgoing.socket?.destroy())
      return null
    case 'content-type':
      return sendText(stage, status, { ...headers, 'content-type': rule.contentType }, text)
    case 'wrong-types':
      return sendEdited(rule.fields, (holder, name) => {
        if (!Object.hasOwn(holder, name)) return false
        return Reflect.set(holder, name, ofAnotherType(holder[name]))
      })
    case 'missing-fields':
      return sendEdited(
        rule.fields,
        (holder, name) => Object.hasOwn(holder, name) && Reflect.deleteProperty(holder, name),
      )
    case 'set-fields':
      return sendEdited(Object.keys(rule.fields), (holder, name, path) =>
        Reflect.set(holder, name, rule.fields[path]),
      )
  }
}

async function drip(
  outgoing: ServerResponse,
  bytes: Buffer,
  chunkBytes: number,
  everyMs: number,
): Promise<void> {
  outgoing.flushHeaders()
  for (let sent = 0; sent < bytes.length && !outgoing.destroyed; sent += chunkBytes) {
    outgoing.write(bytes.subarray(sent, sent + chunkBytes))
    await delay(everyMs, undefined, { ref: false })
  }
  outgoing.end()
}

/** Edits one field of an object. Returns whether it existed. */
type Edit = (holder: Record<string, unknown>, name: string, path: string) => boolean

/** Edits the fields of a path such as `data.*.id`. Returns whether one of them existed. */
function editField(body: unknown, path: string, edit: Edit): boolean {
  const steps = path.split('.')
  const last = steps.pop() ?? ''
  let holders = [body].filter(isRecord)
  for (const step of steps) {
    const inner = holders.flatMap((holder) => (step === '*' ? Object.values(holder) : [holder[step]]))
    holders = inner.filter(isRecord)
  }
  const edited = holders.flatMap((holder) =>
    (last === '*' ? Object.keys(holder) : [last]).map((name) => edit(holder, name, path)),
  )
  return edited.includes(true)
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

function ofAnotherType(value: unknown): unknown {
  switch (typeof value) {
    case 'string':
      return 42
    case 'number':
      return String(value)
    case 'boolean':
      return value ? 'yes' : 'no'
    default:
      return value === null ? { unexpected: true } : 'a text'
  }
}

function sendHead(
  { outgoing, record }: FaultStage,
  status: number,
  headers: OutgoingHttpHeaders,
): ServerResponse {
  Object.assign(record, { status, outcome: 'answered' })
  return outgoing.writeHead(status, headers)
}

function sendText(stage: FaultStage, status: number, headers: OutgoingHttpHeaders, text: string): null {
  const bytes = Buffer.from(text)
  const length = status === 204 ? {} : { 'content-length': bytes.length }
  sendHead(stage, status, { ...headers, ...length }).end(bytes)
  return null
}

function sendStatus(stage: FaultStage, rule: StatusFault): null {
  const { status, body = 'json', retryAfterSeconds, retryAfterForm } = rule
  const { outgoing } = stage
  if (retryAfterSeconds !== undefined) {
    const date = new Date(Date.now() + retryAfterSeconds * 1000).toUTCString()
    outgoing.setHeader('retry-after', retryAfterForm === 'http-date' ? date : String(retryAfterSeconds))
  }
  // Without it, clients treat a 407 as malformed.
  if (status === 407) outgoing.setHeader('proxy-authenticate', 'Basic realm="proxy"')
  const message = `Status ${status} on demand.`
  if (body === 'empty') return sendText(stage, status, {}, '')
  const [contentType, text] = {
    json: [json, JSON.stringify({ message })],
    text: ['text/plain; charset=utf-8', message],
    html: [html, portalPage],
  }[body]
  return sendText(stage, status, { 'content-type': contentType }, text ?? '')
}

function sendRedirect(stage: FaultStage, { status = 302, to }: RedirectFault): null {
  const { pathname, search, origin } = stage.url
  const location = new URL(`${pathname}${search}`, to === undefined || to === 'same-origin' ? origin : to)
  if (location.origin === origin) location.searchParams.set('redirected', '1')
  return sendText(stage, status, { location: location.href }, '')
}

function sendStream(stage: FaultStage, headers: OutgoingHttpHeaders, body: NodeJS.ReadableStream): null {
  // Clients are expected to disconnect early here.
  pipeline(body, sendHead(stage, 200, { 'content-type': json, ...headers }), () => {})
  return null
}

const chunk: Buffer = Buffer.alloc(64 * 1024, 'a')

/** Streams `bytes` of JSON: one string in an array, generated while it is read. */
function hugeJson(bytes: number): Readable {
  const opening = '{"data":["'
  const closing = '"]}'
  return Readable.from(
    (function* () {
      yield Buffer.from(opening)
      let left = Math.max(0, bytes - opening.length - closing.length)
      for (; left > chunk.length; left -= chunk.length) yield chunk
      yield chunk.subarray(0, left)
      yield Buffer.from(closing)
    })(),
    { objectMode: false },
  )
}

/** The response of a captive portal to every request until the user accepts its terms. */
const portalPage = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Welcome to our network</title></head>
<body><h1>Welcome</h1><p>Please accept the terms of use to go online.</p></body></html>
`
