import type { HttpBindings } from '@hono/node-server'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import { type Context, Hono } from 'hono'
import { answerWithFaults } from '../faults/answer-with-faults.ts'
import type { FaultRules } from '../faults/fault-rules.ts'
import { operationRoutes } from '../openapi/paths.ts'
import type { Operation } from '../operations.ts'
import { maskHeaders, type RequestLog, type RequestRecord } from '../request-log.ts'
import { type Answer, bodyText, refuse } from './answer.ts'
import { answerRequest } from './answer-request.ts'
import { parseBody, type ServiceRequest } from './service-request.ts'
import type { ServiceState } from './service-state.ts'

/** The base path: the interface's version segment. */
export const basePath = '/v1'

const bodyLimitBytes = 1024 * 1024

const routes = operationRoutes.map(({ operation, method, path }) => ({
  operation,
  method: method.toUpperCase(),
  path: basePath + path.replaceAll(/\{(\w+)\}/g, ':$1'),
}))

/** What the server hands to every route. */
export type ServiceEnv = { Bindings: HttpBindings }

/** The interface's routes over HTTP, every request to them in the log and within the reach of faults. */
export function createServiceApp(state: ServiceState, log: RequestLog, faults: FaultRules): Hono<ServiceEnv> {
  const app = new Hono<ServiceEnv>()
  for (const { method, path, operation } of routes) {
    app.on(method, path, async (context) => {
      const text = await readBody(context)
      const record = openRecord(context, log, operation, text)
      const request = toServiceRequest(context, operation, text)
      const striking = faults.take(request)
      const { outgoing } = context.env
      const stage = { outgoing, url: new URL(context.req.url) }
      const result = await answerWithFaults(stage, striking, () => answerRequest(state, request))
      if (result.faults.length > 0) record.faults = result.faults
      if (result.kind === 'answer') return send(log, record, result.answer)
      log.settle(record, { status: result.status, outcome: result.outcome })
      return RESPONSE_ALREADY_SENT
    })
  }
  for (const { path } of routes) {
    app.all(path, async (context) => {
      const record = openRecord(context, log, null, await readBody(context))
      return send(log, record, refuse(state.dialect, 'method'))
    })
  }
  app.all(`${basePath}/*`, async (context) => {
    const record = openRecord(context, log, null, await readBody(context))
    return send(log, record, refuse(state.dialect, 'unknown-path'))
  })
  return app
}

async function readBody(context: Context<ServiceEnv>): Promise<string | null> {
  if (Number(context.req.header('content-length') ?? 0) > bodyLimitBytes) return null
  const text = await context.req.text()
  return text.length > bodyLimitBytes ? null : text
}

function toServiceRequest(
  context: Context<ServiceEnv>,
  operation: Operation,
  text: string | null,
): ServiceRequest {
  const { origin, pathname } = new URL(context.req.url)
  return {
    operation,
    licenseId: context.req.param('id') ?? '',
    keyId: context.req.param('key') ?? '',
    page: context.req.query('page'),
    url: `${origin}${pathname}`,
    header: (name) => context.req.header(name),
    bodyText: text,
  }
}

function openRecord(
  context: Context<ServiceEnv>,
  log: RequestLog,
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

function send(log: RequestLog, record: RequestRecord, answer: Answer): Response {
  log.settle(record, { status: answer.status, outcome: 'answered' })
  return new Response(bodyText(answer), {
    status: answer.status,
    headers: { 'content-type': answer.contentType },
  })
}
