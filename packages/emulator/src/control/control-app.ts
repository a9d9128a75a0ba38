import { type Context, Hono } from 'hono'
import * as z from 'zod/mini'
import { ControlError } from '../control-error.ts'
import { emulatorDataSchema } from '../data/emulator-data-schema.ts'
import { dialects, isDialectName } from '../dialects/dialects.ts'
import { faultRuleSchema } from '../faults/fault-schema.ts'
import type { ServiceEnv } from '../service/service-app.ts'
import { describeUnknownName } from '../unknown-argument.ts'
import type { EmulatorControl } from './control.ts'
import { parseLicenseInput, parseLicensePatch } from './license-input.ts'
import { loopbackGuard } from './loopback-guard.ts'
import { parseInput } from './parse-input.ts'
import { totalsSchema } from './totals-schema.ts'

const nameSchema: z.ZodMiniType<{ name: string }> = z.strictObject({ name: z.string() })
const pauseSchema: z.ZodMiniType<{ forMs: number }> = z.strictObject({
  forMs: z.number().check(z.minimum(0), z.maximum(3_600_000)),
})

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

  app.get('/licenses', (context) => context.json({ data: control.licenses() }))
  app.post('/licenses', async (context) =>
    context.json(control.createLicense(parseLicenseInput(await readJson(context.req))), 201),
  )
  app.get('/licenses/:id', (context) => context.json(control.license(context.req.param('id'))))
  app.patch('/licenses/:id', async (context) => {
    const patch = parseLicensePatch(await readJson(context.req))
    return context.json(control.updateLicense(context.req.param('id'), patch))
  })
  app.delete('/licenses/:id', (context) => {
    control.deleteLicense(context.req.param('id'))
    return context.body(null, 204)
  })
  for (const verb of ['suspend', 'expire', 'reinstate'] as const) {
    app.post(`/licenses/:id/${verb}`, (context) => context.json(control[verb](context.req.param('id'))))
  }
  app.get('/licenses/:id/keys', (context) => context.json({ data: control.keys(context.req.param('id')) }))
  app.post('/licenses/:id/keys', async (context) => {
    const { name } = parseInput(nameSchema, await readJson(context.req))
    return context.json(control.addKey(context.req.param('id'), name), 201)
  })
  app.delete('/licenses/:id/keys/:key', (context) => {
    control.removeKey(context.req.param('id'), context.req.param('key'))
    return context.body(null, 204)
  })

  app.get('/data', (context) => context.json(control.dumpData()))
  app.put('/data', async (context) => {
    control.loadData(parseInput(emulatorDataSchema, await readJson(context.req)))
    return context.body(null, 204)
  })
  app.put('/totals', async (context) => {
    control.setTotals(parseInput(totalsSchema, await readJson(context.req)))
    return context.body(null, 204)
  })

  app.get('/requests', (context) => context.json({ data: control.requests() }))
  app.delete('/requests', (context) => {
    control.clearRequests()
    return context.body(null, 204)
  })

  app.get('/faults', (context) => context.json({ data: control.faults.list() }))
  app.post('/faults', async (context) => {
    const rule = parseInput(faultRuleSchema, await readJson(context.req))
    return context.json(control.faults.inject(rule), 201)
  })
  app.delete('/faults', (context) => {
    control.faults.clear()
    return context.body(null, 204)
  })
  app.delete('/faults/:id', (context) => {
    control.faults.remove(Number(context.req.param('id')))
    return context.body(null, 204)
  })

  app.get('/dialect', (context) => context.json(control.dialect))
  app.put('/dialect', async (context) => {
    const { name } = parseInput(nameSchema, await readJson(context.req))
    if (!isDialectName(name)) {
      throw new ControlError(
        'invalid',
        `name: ${describeUnknownName('dialect', name, Object.keys(dialects))}`,
      )
    }
    control.useDialect(name)
    return context.json(control.dialect)
  })

  app.get('/events', streamEvents)
  app.post('/pause', async (context) => {
    const { forMs } = parseInput(pauseSchema, await readJson(context.req))
    // Send the response before its own connection is closed.
    context.env.outgoing.once('finish', () => void control.pause(forMs))
    return context.json({ forMs }, 202)
  })
  app.post('/reset', (context) => {
    control.reset()
    return context.body(null, 204)
  })
  app.all('/*', (context) => context.json({ message: 'There is no such control verb.' }, 404))
  return app
}

async function readJson(request: { text(): Promise<string> }): Promise<unknown> {
  const text = await request.text()
  try {
    return JSON.parse(text === '' ? '{}' : text)
  } catch {
    throw new ControlError('invalid', 'The body is not valid JSON.')
  }
}
