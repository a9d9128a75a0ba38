import { type Context, Hono, type MiddlewareHandler } from 'hono'
import * as z from 'zod/mini'
import { emulatorDataSchema } from '../data/data-schema.ts'
import { faultRuleSchema } from '../faults/fault.ts'
import { dialectChangesSchema } from '../formats/dialect.ts'
import type { ServiceEnv } from '../service-app.ts'
import type { EmulatorControl } from './control.ts'
import { ControlError, licenseInputSchema, licensePatchSchema, parseInput, totalsSchema } from './input.ts'

const nameSchema: z.ZodMiniType<{ name: string }> = z.strictObject({ name: z.string() })
const pauseSchema: z.ZodMiniType<{ forMs: number }> = z.strictObject({
  forMs: z.number().check(z.minimum(0), z.maximum(3_600_000)),
})

/** A control operation over HTTP. What it returns is sent as JSON; without a result, the status is 204. */
interface ControlRoute {
  readonly method: string
  readonly path: string
  /** @default 200 */
  readonly status?: 200 | 201
  act(call: Call): unknown
}

interface Call {
  /** A parameter of the path. */
  param(name: string): string
  /** Parses the body. */
  body<Output>(schema: z.ZodMiniType<Output>): Output
}

function routesOf(control: EmulatorControl): readonly ControlRoute[] {
  const { faults } = control
  return [
    { method: 'GET', path: '/licenses', act: () => ({ data: control.licenses() }) },
    {
      method: 'POST',
      path: '/licenses',
      status: 201,
      act: ({ body }) => control.createLicense(body(licenseInputSchema)),
    },
    { method: 'GET', path: '/licenses/:id', act: ({ param }) => control.license(param('id')) },
    {
      method: 'PATCH',
      path: '/licenses/:id',
      act: ({ param, body }) => control.updateLicense(param('id'), body(licensePatchSchema)),
    },
    { method: 'DELETE', path: '/licenses/:id', act: ({ param }) => control.deleteLicense(param('id')) },
    { method: 'POST', path: '/licenses/:id/suspend', act: ({ param }) => control.suspend(param('id')) },
    { method: 'POST', path: '/licenses/:id/expire', act: ({ param }) => control.expire(param('id')) },
    { method: 'POST', path: '/licenses/:id/reinstate', act: ({ param }) => control.reinstate(param('id')) },
    { method: 'GET', path: '/licenses/:id/keys', act: ({ param }) => ({ data: control.keys(param('id')) }) },
    {
      method: 'POST',
      path: '/licenses/:id/keys',
      status: 201,
      act: ({ param, body }) => control.addKey(param('id'), body(nameSchema).name),
    },
    {
      method: 'DELETE',
      path: '/licenses/:id/keys/:key',
      act: ({ param }) => control.removeKey(param('id'), param('key')),
    },
    { method: 'GET', path: '/requests', act: () => ({ data: control.requests() }) },
    { method: 'DELETE', path: '/requests', act: () => control.clearRequests() },
    { method: 'GET', path: '/faults', act: () => ({ data: faults.list() }) },
    { method: 'POST', path: '/faults', status: 201, act: ({ body }) => faults.inject(body(faultRuleSchema)) },
    { method: 'DELETE', path: '/faults', act: () => faults.clear() },
    { method: 'DELETE', path: '/faults/:id', act: ({ param }) => faults.remove(Number(param('id'))) },
    { method: 'GET', path: '/dialect', act: () => control.dialect },
    {
      method: 'PUT',
      path: '/dialect',
      act({ body }) {
        control.useDialect(body(dialectChangesSchema))
        return control.dialect
      },
    },
    { method: 'PUT', path: '/totals', act: ({ body }) => control.setTotals(body(totalsSchema)) },
    { method: 'GET', path: '/data', act: () => control.dumpData() },
    { method: 'PUT', path: '/data', act: ({ body }) => control.loadData(body(emulatorDataSchema)) },
    { method: 'POST', path: '/reset', act: () => control.reset() },
  ]
}

/**
 * The control operations over HTTP, for programs in other processes.
 *
 * @param streamEvents Responds with the live page's events.
 */
export function createControlApp(
  control: EmulatorControl,
  streamEvents: (context: Context<ServiceEnv>) => Response,
): Hono<ServiceEnv> {
  const app = new Hono<ServiceEnv>()
  app.use(loopbackGuard)
  app.onError((error, context) => {
    if (!(error instanceof ControlError)) return context.json({ message: 'The emulator failed.' }, 500)
    return context.json({ message: error.message }, error.code === 'not-found' ? 404 : 422)
  })
  for (const { method, path, status = 200, act } of routesOf(control)) {
    app.on(method, path, async (context) => {
      const result = act(await readCall(context))
      return result === undefined ? context.body(null, 204) : context.json(Object(result), status)
    })
  }
  app.get('/events', streamEvents)
  app.post('/pause', async (context) => {
    const { forMs } = (await readCall(context)).body(pauseSchema)
    // Send the response before its own connection is closed.
    context.env.outgoing.once('finish', () => void control.pause(forMs))
    return context.json({ forMs }, 202)
  })
  app.all('/*', (context) => context.json({ message: 'There is no such control verb.' }, 404))
  return app
}

async function readCall({ req }: Context<ServiceEnv>): Promise<Call> {
  const text = await req.text()
  return {
    param: (name) => req.param(name) ?? '',
    body: (schema) => parseInput(`${req.method} ${req.path}`, schema, parseJson(text)),
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text === '' ? '{}' : text)
  } catch {
    throw new ControlError('invalid', 'The body is not valid JSON.')
  }
}

const loopbackHosts = new Set(['localhost', '127.0.0.1', '[::1]'])

/**
 * Blocks web pages: a page on the internet can send requests to localhost, and with a host name that resolves to it
 * (DNS rebinding) even read the responses.
 */
export const loopbackGuard: MiddlewareHandler<ServiceEnv> = async (context, next) => {
  const url = new URL(context.req.url)
  if (!loopbackHosts.has(url.hostname)) {
    return context.json({ message: 'Ask for localhost: other host names are refused.' }, 403)
  }
  const origin = context.req.header('origin')
  const site = context.req.header('sec-fetch-site')
  const isForeign =
    (origin !== undefined && origin !== url.origin) ||
    (site !== undefined && site !== 'same-origin' && site !== 'none')
  if (isForeign) return context.json({ message: 'Other origins are refused.' }, 403)
  // A form can be sent across origins without a preflight request; JSON can't.
  const isChange = context.req.method !== 'GET' && context.req.method !== 'HEAD'
  if (isChange && !/^application\/json\b/i.test(context.req.header('content-type') ?? '')) {
    return context.json({ message: 'Send the header Content-Type: application/json.' }, 415)
  }
  return next()
}
