import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { Log, LogLevel, Miniflare } from 'miniflare'
import { onTestFinished } from 'vitest'

const here = new URL('..', import.meta.url)

function sourceOf(name: string, entry = 'index'): string {
  return fileURLToPath(new URL(`../../packages/${name}/src/${entry}.ts`, here))
}

/** Bundles a worker from the packages' sources, as wrangler would. */
export async function bundle(entry = 'worker'): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL(`src/${entry}.ts`, here))],
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'browser',
    conditions: ['workerd', 'worker', 'browser'],
    target: 'es2022',
    alias: {
      '@latchkey/gateway': sourceOf('gateway'),
      '@latchkey/gateway/issuer': sourceOf('gateway', 'issuer'),
      '@latchkey/services/issue': sourceOf('services', 'issue'),
      '@latchkey/commerce': sourceOf('commerce'),
      '@latchkey/commerce/client': sourceOf('commerce', 'client'),
      '@latchkey/commerce/http': sourceOf('commerce', 'http'),
      '@latchkey/commerce/options': sourceOf('commerce', 'options'),
    },
  })
  return outputFiles[0]?.text ?? ''
}

/**
 * Runs the worker on workerd with its own `wrangler.json`.
 *
 * @returns its address and its log.
 */
export async function runWorker(
  secrets: Record<string, string>,
  entry?: string,
): Promise<{ origin: string; lines: string[] }> {
  const lines: string[] = []
  const config = JSON.parse(await readFile(new URL('wrangler.json', here), 'utf8'))
  const worker = new Miniflare({
    modules: true,
    script: await bundle(entry),
    compatibilityDate: config.compatibility_date,
    bindings: { ...config.vars, ...secrets },
    ratelimits: Object.fromEntries(
      config.ratelimits.map(({ name, ...limit }: { name: string }) => [name, limit]),
    ),
    host: '127.0.0.1',
    port: 0,
    // Otherwise it looks up its location on the network.
    cf: false,
    log: new Log(LogLevel.NONE),
    handleStructuredLogs({ message }: { message: string }) {
      lines.push(message)
    },
  })
  onTestFinished(() => worker.dispose())
  return { origin: (await worker.ready).origin, lines }
}
