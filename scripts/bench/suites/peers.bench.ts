import { cp, mkdir, writeFile } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import path from 'node:path'
import { madeOnce } from '../../packages/installed-command.ts'
import { startLocalServer } from '../../workspace/local-server.ts'
import { exampleAppPath } from '../../workspace/repository.ts'
import { runTool } from '../../workspace/run-tool.ts'
import { bundle, firstWindowAfter, startElectronProgram, withService } from '../electron-program.ts'
import type { BenchReport } from '../report.ts'

/** The packages with the same purpose as Latchkey. Pinned, so that a run can be repeated. */
const peers = [
  {
    name: '@anystack/electron-license',
    version: '0.0.15',
    gate: 'anystack.js',
    madeToRun:
      'its check-in interval is 0, so that it checks at each launch; the activated license is written through its own ' +
      'store; ifAuthorized gets an object whose show() opens the notebook; its service is a local server',
  },
  {
    name: 'electron-license-kit',
    version: '0.1.1',
    gate: 'electron-license-kit.js',
    madeToRun:
      'an empty WebSocket class where Node has none; a local server in place of Supabase, to sign in once; its files are ' +
      'led into the app’s folder. It keeps no session between launches, so validate() answers from its cache and sends ' +
      'no request',
  },
] as const

/** Compares the same notebook behind Latchkey, and behind each peer, with the one without a gate. */
export async function bench(report: BenchReport): Promise<void> {
  await withService(report, async ({ emulator, folder, env }) => {
    const peerService = await startPeerService()
    try {
      const modules = await installPeers()
      const licenseKey = emulator.demoLicense.id
      const peerEnv = {
        BENCH_SERVICE_URL: peerService.url,
        BENCH_SERVICE_TOKEN: 'token',
        BENCH_LICENSE_KEY: 'IK-1',
      }
      const notebook = async (gate: string, variables: Readonly<Record<string, string>>) => {
        const app = {
          appPath: await buildNotebook(gate, folder, modules),
          userDataPath: path.join(folder, gate, 'data'),
        }
        const activating = startElectronProgram({ ...app, env: { ...variables, BENCH_ACTIVATING: '1' } })
        await activating.line('activated')
        await activating.end()
        const launch = () => firstWindowAfter({ ...app, env: variables })
        // The first start fills the system's caches.
        await launch()
        return launch
      }
      const bare = { name: 'without a gate', measure: await notebook('without-a-gate.ts', {}) }
      const latchkeyEnv = { ...env, BENCH_LICENSE_KEY: licenseKey }
      const gated = [{ name: 'Latchkey', measure: await notebook('latchkey.ts', latchkeyEnv) }]
      for (const { name, version, gate } of peers) {
        gated.push({ name: `${name} ${version}`, measure: await notebook(gate, peerEnv) })
      }

      report.section('What was done to make each run')
      report.say(
        'The notebook’s main process is bundled and minified by esbuild; preload script, page and window are the same in all. ' +
          'A launch ends when the first window is shown and painted.',
      )
      for (const { name, madeToRun } of peers) report.say(`${name}: ${madeToRun}.`)
      for (const isAnswering of [true, false]) {
        peerService.isAnswering = isAnswering
        if (!isAnswering) emulator.control.faults.inject({ fault: 'timeout' })
        report.section(
          `Process start to the first painted window: the service ${isAnswering ? 'answers at once' : 'never answers'}`,
        )
        for (const candidate of gated) {
          const pairs = report.isLong ? 50 : 15
          await report.compare({ name: candidate.name, unit: 'ms', pairs, baseline: bare, candidate })
        }
      }
    } finally {
      await peerService.close()
    }
  })
}

/** Supabase reads the expiry from the token. */
const accessToken = ['{"alg":"none"}', '{"sub":"reader","exp":32472144000}', 'none']
  .map((part) => Buffer.from(part).toString('base64url'))
  .join('.')
const user = { id: '6f1c1a3e-0000-4000-8000-000000000001', email: 'reader@example.com', aud: 'authenticated' }

/** Starts the services of the peers on localhost, as far as a launch needs them. Every license is valid. */
async function startPeerService() {
  const server = await startLocalServer((request, response) => {
    request.resume()
    if (!service.isAnswering) return
    const { status = 200, body } = answerTo(request)
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  })
  const service = { ...server, isAnswering: true }
  return service
}

function answerTo({ method, url = '' }: IncomingMessage): {
  readonly status?: number
  readonly body?: unknown
} {
  // Anystack
  if (url.endsWith('/validate-key')) return { body: { meta: { valid: true, status: 'ACTIVE' } } }
  // Supabase, for electron-license-kit
  if (url.startsWith('/auth/v1/token')) {
    const session = { access_token: accessToken, refresh_token: 'refresh', token_type: 'bearer' }
    return { body: { ...session, expires_in: 3600, user } }
  }
  if (url.startsWith('/rest/v1/licenses') && method === 'GET') {
    const license = { id: '1', license_key: 'IK-1', tier: 'pro', status: 'active', hwid: null }
    return { body: { ...license, user_id: user.id, expires_at: '2999-01-01T00:00:00Z' } }
  }
  return url.startsWith('/rest/v1/licenses')
    ? { status: 204 }
    : { status: 404, body: { message: `No such route: ${method} ${url}` } }
}

/** Installs the peers into a cache folder, once. @returns their `node_modules`. */
async function installPeers(): Promise<string> {
  const pinned = peers.map(({ name, version }) => `${name}@${version}`)
  const folder = await madeOnce(`peers-${pinned.join('-').replace(/[@/]/gu, '-')}`, async (target) => {
    await writeFile(path.join(target, 'package.json'), JSON.stringify({ name: 'peers', private: true }))
    const flags = ['--save-exact', '--no-audit', '--no-fund', '--ignore-scripts', '--legacy-peer-deps']
    await runTool(['npm', 'install', ...pinned, ...flags], target)
  })
  return path.join(folder, 'node_modules')
}

/**
 * Builds the notebook behind a gate. The preload script and the page are those of the example without Latchkey, so that
 * only the main process differs.
 *
 * @param modules the `node_modules` with the peers.
 * @returns the main file.
 */
async function buildNotebook(gate: string, parent: string, modules: string): Promise<string> {
  const folder = path.join(parent, gate)
  await mkdir(folder)
  for (const name of ['preload', 'renderer']) {
    await cp(path.join(exampleAppPath, 'out-bare', name), path.join(folder, name), { recursive: true })
  }
  const mainFile = path.join(folder, 'main', 'index.cjs')
  await bundle(path.join('peers', gate), mainFile, {
    minify: true,
    // electron-license-kit loads electron-updater only if an app uses its updates.
    external: ['electron', 'electron-updater'],
    nodePaths: [modules],
    legalComments: 'none',
  })
  return mainFile
}
