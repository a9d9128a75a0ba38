import { cp, mkdir, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage } from 'node:http'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { build } from 'esbuild'
import * as z from 'zod/mini'
import { madeOnce } from '../../packages/installed-command.ts'
import { exampleAppPath } from '../../workspace/repository.ts'
import { runTool } from '../../workspace/run-tool.ts'
import { startElectronProgram } from '../electron-program.ts'
import { expectMainWindow } from '../report.ts'
import type { PeerEnvironment } from './gates/notebook.ts'

/** A package with the same purpose as Latchkey. */
interface Peer {
  readonly name: string
  /** Pinned, so that a run can be repeated. */
  readonly version: string
  /** The notebook that uses it, in `gates`. */
  readonly gate: string
  /** What was needed to run it, for readers of the table. */
  readonly madeToRun: string
}

/** The packages that are compared with Latchkey. */
export const peers: readonly Peer[] = [
  {
    name: '@anystack/electron-license',
    version: '0.0.15',
    gate: 'anystack',
    madeToRun:
      'its check-in interval is 0, so that it checks at each launch; the activated license is written through its own ' +
      'store; ifAuthorized gets an object whose show() opens the notebook; its service is a local server',
  },
  {
    name: 'electron-license-kit',
    version: '0.1.1',
    gate: 'electron-license-kit',
    madeToRun:
      'an empty WebSocket class where Node has none; a local server in place of Supabase, to sign in once; its files are ' +
      'led into the app’s folder. It keeps no session between launches, so validate() answers from its cache and sends ' +
      'no request',
  },
]

/** The service's response time in milliseconds; `null`: it accepts the request and never answers. */
export type AnswerDelay = number | null

/** The services of the peers on localhost, as far as a launch needs them. */
interface PeerService {
  readonly url: string
  setDelay(delayMs: AnswerDelay): void
  close(): Promise<void>
}

const farAway = '2999-01-01T00:00:00Z'
const user = { id: '6f1c1a3e-0000-4000-8000-000000000001', email: 'reader@example.com', aud: 'authenticated' }
/** Supabase reads the expiry from the token. */
const accessToken = ['{"alg":"none"}', '{"sub":"reader","exp":32472144000}', 'none']
  .map((part) => Buffer.from(part).toString('base64url'))
  .join('.')

/** Starts the service. Every license is valid. */
export async function startPeerService(): Promise<PeerService> {
  let delayMs: AnswerDelay = 0
  const server = createServer((request, response) => {
    request.resume()
    const answer = answerTo(request)
    const respond = () => response.writeHead(answer.status, answer.headers).end(answer.body)
    if (delayMs === 0) respond()
    else if (delayMs !== null) void pause(delayMs, undefined, { ref: false }).then(respond)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The service has no port.')
  return {
    url: `http://127.0.0.1:${address.port}`,
    setDelay(next) {
      delayMs = next
    },
    async close() {
      server.closeAllConnections()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}

function answerTo({ method, url = '' }: IncomingMessage) {
  const json = (body: unknown, status = 200) => ({
    status,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  // Anystack
  if (url.endsWith('/validate-key')) return json({ meta: { valid: true, status: 'ACTIVE' } })
  // Supabase, for electron-license-kit
  if (url.startsWith('/auth/v1/token')) {
    const session = { access_token: accessToken, refresh_token: 'refresh', token_type: 'bearer' }
    return json({ ...session, expires_in: 3600, user })
  }
  if (url.startsWith('/rest/v1/licenses') && method === 'GET') {
    const license = { id: '1', license_key: 'IK-AAAA-BBBB-CCCC', tier: 'pro', status: 'active', hwid: null }
    return json({ ...license, user_id: user.id, expires_at: farAway })
  }
  if (url.startsWith('/rest/v1/licenses')) return { status: 204, headers: {}, body: '' }
  return json({ message: `No such route: ${method} ${url}` }, 404)
}

/** Installs the pinned peers into a cache folder, once. @returns their `node_modules`. */
export async function installPeers(): Promise<string> {
  const pinned = peers.map(({ name, version }) => `${name}@${version}`)
  const folderName = `peers-${pinned.map((it) => it.replace(/[@/]/gu, '-')).join('')}`
  const folder = await madeOnce(folderName, async (target) => {
    await writeFile(path.join(target, 'package.json'), JSON.stringify({ name: 'peers', private: true }))
    const flags = ['--save-exact', '--no-audit', '--no-fund', '--ignore-scripts', '--legacy-peer-deps']
    await runTool(['npm', 'install', ...pinned, ...flags], target)
  })
  return path.join(folder, 'node_modules')
}

/**
 * Builds the notebook behind one of the `gates`. The preload script and the page are those of the example without
 * Latchkey, so that only the main process differs.
 *
 * @param peerModules the `node_modules` with the peers.
 * @returns the main file.
 */
export async function buildGatedApp(gate: string, folder: string, peerModules: string): Promise<string> {
  const mainFile = path.join(folder, 'main', 'index.cjs')
  await mkdir(folder, { recursive: true })
  for (const name of ['preload', 'renderer']) {
    await cp(path.join(exampleAppPath, 'out-bare', name), path.join(folder, name), { recursive: true })
  }
  await build({
    entryPoints: [path.join(import.meta.dirname, 'gates', `${gate}.ts`)],
    outfile: mainFile,
    bundle: true,
    minify: true,
    platform: 'node',
    format: 'cjs',
    target: 'node18.15',
    // electron-license-kit loads electron-updater only if an app uses its updates.
    external: ['electron', 'electron-updater'],
    nodePaths: [peerModules],
    legalComments: 'none',
    // A CommonJS bundle has no import.meta. The app works without it.
    logOverride: { 'empty-import-meta': 'silent' },
  })
  return mainFile
}

const watchPath = path.join(import.meta.dirname, '..', 'launch-watch.cjs')
const windowSchema = z.object({ url: z.string() })

/** A notebook that is ready to be measured. */
export interface GatedNotebook {
  readonly name: string
  readonly mainFile: string
  readonly userDataPath: string
  /** The address of its service; `null` for the notebook without a gate. */
  readonly service: PeerServiceControl | null
}

/** The service of one notebook. */
export interface PeerServiceControl {
  readonly environment: Omit<PeerEnvironment, 'isActivating'>
  setDelay(delayMs: AnswerDelay): void
}

/** Activates the device, so that later launches find an activation. */
export async function activateNotebook(notebook: GatedNotebook): Promise<void> {
  if (notebook.service === null) return
  const program = start(notebook, toPeerVariables({ ...notebook.service.environment, isActivating: true }))
  await program.line('activated')
  await program.end()
}

/** Launches it once. @returns the time from the start of the process to the first painted window, in milliseconds. */
export async function launchNotebook(notebook: GatedNotebook): Promise<number> {
  const program = start(notebook, launchVariables(notebook))
  const { rest, afterMs } = await program.line('gated-window')
  await program.end()
  expectMainWindow(windowSchema.parse(JSON.parse(rest)).url)
  return afterMs
}

function launchVariables({ service }: GatedNotebook) {
  return service === null ? {} : toPeerVariables({ ...service.environment, isActivating: false })
}

function start({ mainFile, userDataPath }: GatedNotebook, env: Readonly<Record<string, string>>) {
  return startElectronProgram({ appPath: mainFile, userDataPath, env, preloadedScript: watchPath })
}

/** Writes the environment for a gated notebook. */
function toPeerVariables({
  serviceUrl,
  accessToken,
  licenseKey,
  isActivating,
}: PeerEnvironment): Record<string, string> {
  return {
    BENCH_SERVICE_URL: serviceUrl,
    BENCH_SERVICE_TOKEN: accessToken,
    BENCH_LICENSE_KEY: licenseKey,
    BENCH_ACTIVATING: isActivating ? '1' : '',
  }
}
