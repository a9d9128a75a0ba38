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
    { req, env: { outgoing } }: Context<ServiceEnv>,
    operation: Operation | null,
    text: string | null,
  ): RequestRecord => {
    const { pathname, search } = new URL(req.url)
    const record = log.open({
      at: new Date().toISOString(),
      method: req.method,
      path: `${pathname.slice(format.basePath.length)}${search}`,
      operation,
      headers: maskHeaders(req.raw.headers.entries()),
      body: text === null ? '(too large to keep)' : text === '' ? null : (parseBody(text) ?? text),
    })
    outgoing.once('close', () => {
      if (!outgoing.writableFinished) record.outcome = 'cut'
    })
    return record
  }

  const send = ({ env }: Context<ServiceEnv>, record: RequestRecord, answer: Answer): Response => {
    Object.assign(record, { status: answer.status, outcome: 'answered' })
    const text = bodyText(answer)
    const headers = { 'content-type': answer.contentType, ...answerHeaders(answer, text, env.outgoing) }
    // The platform rejects a 204 with a body, even an empty one.
    return new Response(answer.status === 204 ? null : text, { status: answer.status, headers })
  }

  for (const { method, path, operation } of format.routes) {
    app.on(method, path, async (context) => {
      const text = await readBody(context)
      const record = open(context, operation, text)
      const { req, env } = context
      const url = new URL(req.url)
      const request: FormatRequest = {
        operation,
        method: req.method,
        url,
        header: (name) => req.header(name),
        param: (name) => req.param(name) ?? '',
        bodyText: text,
        refuseToken: (reason) => log.noteRefusedToken(record, reason),
      }
      const striking = faults.take({ operation, licenseId: format.licenseIdOf(state, request) })
      const stage = { outgoing: env.outgoing, url, record }
      const answer = await answerWithFaults(stage, striking, () => format.answer(state, request))
      return answer === null ? RESPONSE_ALREADY_SENT : send(context, record, answer)
    })
  }

  const refuse =
    (kind: 'method' | 'unknown-path') =>
    async (context: Context<ServiceEnv>): Promise<Response> =>
      send(context, open(context, null, await readBody(context)), format.refuseRoute(state, kind))
  for (const { path } of format.routes) app.all(path, refuse('method'))
  app.all(`${format.basePath || '/v1'}/*`, refuse('unknown-path'))
  return app
}

async function readBody({ req }: Context<ServiceEnv>): Promise<string | null> {
  if (Number(req.header('content-length') ?? 0) > bodyLimitBytes) return null
  const text = await req.text()
  return text.length > bodyLimitBytes ? null : text
}
