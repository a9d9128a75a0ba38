import { readFile } from 'node:fs/promises'
import { Hono } from 'hono'
import { loopbackGuard } from './control/loopback-guard.ts'
import type { ServiceEnv } from './service/service-app.ts'

const contentTypes: Record<string, string> = {
  html: 'text/html; charset=utf-8',
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
}

const assets: ReadonlySet<string> = new Set([
  'page.css',
  'page.js',
  'control.js',
  'elements.js',
  'faults.js',
  'licenses.js',
  'requests.js',
  'icon.svg',
])

const headers = {
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
}

/** Creates the page at `/`, where a developer can watch an app activate. */
export function createLivePage(): Hono<ServiceEnv> {
  const app = new Hono<ServiceEnv>()
  app.get('/', loopbackGuard, () => serve('index.html'))
  app.get('/page/:asset', loopbackGuard, (context) => {
    const asset = context.req.param('asset')
    return assets.has(asset) ? serve(asset) : context.notFound()
  })
  return app
}

async function serve(asset: string): Promise<Response> {
  // This file is one folder below the package, next to page/, whether built or not.
  const bytes = await readFile(new URL(`../page/${asset}`, import.meta.url))
  const contentType = contentTypes[asset.split('.').at(-1) ?? ''] ?? 'text/plain'
  return new Response(bytes, { headers: { ...headers, 'content-type': contentType } })
}
