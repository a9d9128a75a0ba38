import { Hono, type MiddlewareHandler } from 'hono'
import * as z from 'zod/mini'
import { emulatorDataSchema } from '../data/data-schema.ts'
import { faultRuleSchema } from '../faults/fault.ts'
import { dialectChangesSchema } from '../formats/dialect.ts'
import type { ServiceEnv } from '../service-app.ts'
import type { EmulatorControl } from './control.ts'
import {
  ControlError,
  deviceNameSchema,
  licenseInputSchema,
  licensePatchSchema,
  parseInput,
  pauseSchema,
  totalsSchema,
} from './input.ts'

const nameSchema: z.ZodMiniType<{ name: string }> = z.strictObject({ name: deviceNameSchema })
const timeSchema: z.ZodMiniType<{ forMs: number }> = z.strictObject({ forMs: pauseSchema })

/** A request to the control. */
interface Call {
  /** A parameter of the path. */
  param(name: string): string
  /** Parses the body. */
  body<Output>(schema: z.ZodMiniType<Output>): Output
}

/** The control's operations by method and path. What they return is sent as JSON; without a result, the status is 204. */
function operationsOf(control: EmulatorControl): Readonly<Record<string, (call: Call) => unknown>> {
  const { faults } = control
  return {
    'GET /licenses': () => ({ data: control.licenses() }),
    'POST /licenses': ({ body }) => control.createLicense(body(licenseInputSchema)),
    'GET /licenses/:id': ({ param }) => control.license(param('id')),
    'PATCH /licenses/:id': ({ param, body }) => control.updateLicense(param('id'), body(licensePatchSchema)),
    'DELETE /licenses/:id': ({ param }) => control.deleteLicense(param('id')),
    'POST /licenses/:id/suspend': ({ param }) => control.suspend(param('id')),
    'POST /licenses/:id/expire': ({ param }) => control.expire(param('id')),
    'POST /licenses/:id/reinstate': ({ param }) => control.reinstate(param('id')),
    'GET /licenses/:id/keys': ({ param }) => ({ data: control.keys(param('id')) }),
    'POST /licenses/:id/keys': ({ param, body }) => control.addKey(param('id'), body(nameSchema).name),
    'DELETE /licenses/:id/keys/:key': ({ param }) => control.removeKey(param('id'), param('key')),
    'GET /requests': () => ({ data: control.requests() }),
    'DELETE /requests': control.clearRequests,
    'GET /faults': () => ({ data: faults.list() }),
    'POST /faults': ({ body }) => faults.inject(body(faultRuleSchema)),
    'DELETE /faults': faults.clear,
    'DELETE /faults/:id': ({ param }) => faults.remove(Number(param('id'))),
    'GET /dialect': () => control.dialect,
    'PUT /dialect': ({ body }) => {
      control.useDialect(body(dialectChangesSchema))
      return control.dialect
    },
    'PUT /totals': ({ body }) => control.setTotals(body(totalsSchema)),
    'GET /data': control.dumpData,
    'PUT /data': ({ body }) => control.loadData(body(emulatorDataSchema)),
    'POST /reset': control.reset,
  }
}

/** What creates something, and is answered with 201. */
const creating = ['POST /licenses', 'POST /licenses/:id/keys', 'POST /faults']

/**
 * The control operations over HTTP, for programs in other processes.
 *
 * @param live returns the content of the live page.
 */
export function createControlApp(control: EmulatorControl, live: () => object): Hono<ServiceEnv> {
  const app = new Hono<ServiceEnv>()
  app.use(loopbackGuard)
  app.onError((error, context) => {
    if (!(error instanceof ControlError)) return context.json({ message: 'The emulator failed.' }, 500)
    return context.json({ message: error.message }, error.code === 'not-found' ? 404 : 422)
  })
  for (const [route, act] of Object.entries(operationsOf(control))) {
    const [method = '', path = ''] = route.split(' ')
    app.on(method, path, async ({ req, json, body }) => {
      const text = await req.text()
      const result = act({
        param: (name) => req.param(name) ?? '',
        body: (schema) => parseInput(`${req.method} ${req.path}`, schema, parseJson(text)),
      })
      if (result === undefined) return body(null, 204)
      return json(Object(result), creating.includes(route) ? 201 : 200)
    })
  }
  app.get('/live', (context) => context.json(live()))
  app.post('/pause', async (context) => {
    const { forMs } = parseInput('POST /pause', timeSchema, parseJson(await context.req.text()))
    // Send the response before its own connection is closed.
    context.env.outgoing.once('finish', () => void control.pause(forMs))
    return context.json({ forMs }, 202)
  })
  app.all('/*', (context) => context.json({ message: 'There is no such control verb.' }, 404))
  return app
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
