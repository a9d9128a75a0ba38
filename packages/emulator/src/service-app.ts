import type { HttpBindings } from '@hono/node-server'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import { type Context, Hono } from 'hono'
import { type Answer, answerHeaders, bodyText } from './answer.ts'
import type { FaultRules } from './faults/fault-rules.ts'
import { answerWithFaults } from './faults/play-fault.ts'
import {
  type Format,
  type FormatRequest,
  type Operation,
  parseBody,
  type ServiceState,
} from './formats/format.ts'
import { maskHeaders, type RequestLog, type RequestRecord } from './request-log.ts'

const bodyLimitBytes = 1024 * 1024

/** The bindings that the server passes to every route. */
export type ServiceEnv = { Bindings: HttpBindings }

/** Serves a service's routes over HTTP. Logs every request and applies faults. */
export function createServiceApp(
  format: Format,
  state: ServiceState,
  log: RequestLog,
  faults: FaultRules,
): Hono<ServiceEnv> {
  const app = new Hono<ServiceEnv>()
  const open = (
    context: Context<ServiceEnv>,
    operation: Operation | null,
    text: string | null,
  ): RequestRecord => openRecord(context, log, format.basePath, operation, text)
  for (const { method, path, operation } of format.routes) {
    app.on(method, path, async (context) => {
      const text = await readBody(context)
      const record = open(context, operation, text)
      const request = toFormatRequest(context, operation, text)
      const licenseId = format.licenseIdOf(state, request)
      const { outgoing } = context.env
      const stage = { outgoing, url: new URL(context.req.url) }
      const result = await answerWithFaults(stage, faults.take({ operation, licenseId }), () =>
        format.answer(state, request),
      )
      if (result.faults.length > 0) record.faults = result.faults
      if (result.kind === 'answer') return send(context, log, record, result.answer)
      log.settle(record, { status: result.status, outcome: result.outcome })
      return RESPONSE_ALREADY_SENT
    })
  }
  for (const { path } of format.routes) {
    app.all(path, async (context) => {
      const record = open(context, null, await readBody(context))
      return send(context, log, record, format.refuseRoute(state, 'method'))
    })
  }
  app.all(`${format.basePath || '/v1'}/*`, async (context) => {
    const record = open(context, null, await readBody(context))
    return send(context, log, record, format.refuseRoute(state, 'unknown-path'))
  })
  return app
}

async function readBody(context: Context<ServiceEnv>): Promise<string | null> {
  if (Number(context.req.header('content-length') ?? 0) > bodyLimitBytes) return null
  const text = await context.req.text()
  return text.length > bodyLimitBytes ? null : text
}

function toFormatRequest(
  context: Context<ServiceEnv>,
  operation: Operation,
  text: string | null,
): FormatRequest {
  return {
    operation,
    method: context.req.method,
    url: new URL(context.req.url),
    header: (name) => context.req.header(name),
    param: (name) => context.req.param(name) ?? '',
    bodyText: text,
  }
}

function openRecord(
  context: Context<ServiceEnv>,
  log: RequestLog,
  basePath: string,
  operation: Operation | null,
  text: string | null,
): RequestRecord {
  const { outgoing } = context.env
  const { pathname, search } = new URL(context.req.url)
  const record = log.open({
    at: new Date().toISOString(),
    method: context.req.method,
    path: `${pathname.slice(basePath.length)}${search}`,
    operation,
    headers: maskHeaders(context.req.raw.headers.entries()),
    body: text === null ? '(too large to keep)' : text === '' ? null : (parseBody(text) ?? text),
  })
  outgoing.once('close', () => {
    if (!outgoing.writableFinished) log.settle(record, { outcome: 'cut' })
  })
  return record
}

function send(
  { env }: Context<ServiceEnv>,
  log: RequestLog,
  record: RequestRecord,
  answer: Answer,
): Response {
  log.settle(record, { status: answer.status, outcome: 'answered' })
  const text = bodyText(answer)
  const headers = { 'content-type': answer.contentType, ...answerHeaders(answer, text, env.outgoing) }
  // The platform rejects a 204 with a body, even an empty one.
  return new Response(answer.status === 204 ? null : text, { status: answer.status, headers })
}
