import { serve } from '@hono/node-server'
import { createNodeClient } from '@latchkey/services/node'
import { Hono } from 'hono'
import { proxy } from 'hono/proxy'

// The least a reverse proxy of the same route can do on the same libraries: add the token, pass on the rest.

const upstream = process.env['UPSTREAM'] ?? ''
// Either as everybody writes it, or with the HTTP client the gateway itself has.
const pooled = process.env['CLIENT'] === 'pooled' ? { customFetch: createNodeClient().fetch } : {}
const app = new Hono()
app.post('/v1/licenses/:license/validate', (context) =>
  proxy(`${upstream}/licenses/${context.req.param('license')}/validate`, {
    ...context.req,
    ...pooled,
    headers: { ...context.req.header(), authorization: 'Bearer token' },
  }),
)
// After a measurement, the load generator closes its connections in the midst of requests. Hono would print each one.
app.onError((_error, context) => context.body(null, 502))
serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) => {
  process.stdout.write(`${JSON.stringify({ port })}\n`)
})
