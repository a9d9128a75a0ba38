import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { build } from 'esbuild'
import type { Errand } from './run-device.ts'

const packages = path.join(import.meta.dirname, '..', '..', '..', '..')

/** Bundles the program of a device from the sources, so that it starts quickly. @returns its path. */
export async function bundleDevice(directory: string): Promise<string> {
  const outfile = path.join(directory, 'run-device.mjs')
  await build({
    entryPoints: [path.join(import.meta.dirname, 'run-device.ts')],
    outfile,
    bundle: true,
    platform: 'node',
    target: 'node24',
    format: 'esm',
    alias: {
      '@latchkey/commerce/http': path.join(packages, 'commerce', 'src', 'http.ts'),
      '@latchkey/commerce/options': path.join(packages, 'commerce', 'src', 'options.ts'),
      '@latchkey/commerce': path.join(packages, 'commerce', 'src', 'index.ts'),
      '@latchkey/services': path.join(packages, 'services', 'src', 'index.ts'),
      '@latchkey/services/commerce': path.join(packages, 'services', 'src', 'commerce.ts'),
      '@latchkey/services/license-key': path.join(packages, 'services', 'src', 'license-key.ts'),
    },
    banner: {
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url); const __dirname = import.meta.dirname",
    },
  })
  return outfile
}

/** A real process of the app. */
export interface DeviceProcess {
  /** Starts its task. */
  go(): void
  /** `kill -9`. */
  kill(): void
  /** Resolves when it has ended. @returns whether it finished its task. */
  ended(): Promise<boolean>
}

/** Starts a process and waits until it is ready for its task. */
export async function startDevice(program: string, errand: Errand): Promise<DeviceProcess> {
  const child = spawn(process.execPath, [program, JSON.stringify(errand)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const ended = endOf(child)
  child.stdin.on('error', () => {})
  const first = await Promise.race([once(child.stdout, 'data').then(String), ended.then(() => 'ended')])
  if (!first.startsWith('ready')) throw new Error(`The process did not get ready: ${first}`)
  return {
    go: () => void child.stdin.write('go\n'),
    kill: () => void child.kill('SIGKILL'),
    ended: () => ended,
  }
}

async function endOf(child: ChildProcess): Promise<boolean> {
  let said = ''
  child.stdout?.on('data', (data) => {
    said += String(data)
  })
  const [code] = await once(child, 'close')
  return code === 0 && said.endsWith('done\n')
}
