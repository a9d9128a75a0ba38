import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { pnpmCommand } from '../pnpm-command.ts'

const run = promisify(execFile)

/** Who installs an app's dependencies. */
export type PackageManager = 'npm' | 'pnpm' | 'yarn'

const pinnedYarn = '@yarnpkg/cli-dist@4.18.1'

/**
 * Installs an app's dependencies, ours from a registry of our own, all others from the one this machine is set up for.
 *
 * Strict about peer dependencies: what a manager would only warn of is a failure here.
 *
 * @throws Error with the manager's output when it fails or complains of peer dependencies.
 */
export async function installApp(
  manager: PackageManager,
  folder: string,
  registryUrl: string,
): Promise<void> {
  await configure(manager, folder, registryUrl)
  const [program = '', ...args] = await commandOf(manager)
  const { stdout, stderr } = await run(program, args, {
    cwd: folder,
    env: toolEnvironment(),
    maxBuffer: 64 * 1024 * 1024,
  }).catch((error: unknown) => {
    const told = error instanceof Error && 'stdout' in error && 'stderr' in error
    const output = told ? `${error.stdout}${error.stderr}` : String(error)
    throw new Error(`${manager} could not install ${path.basename(folder)}:\n${output.slice(-4_000)}`)
  })
  const complaints = `${stdout}\n${stderr}`
    .split('\n')
    .filter((line) => /peer/iu.test(line) && line.includes('@latchkey/'))
  if (complaints.length > 0) throw new Error(`${manager} complains:\n${complaints.join('\n')}`)
}

async function commandOf(manager: PackageManager): Promise<readonly string[]> {
  switch (manager) {
    case 'npm':
      return ['npm', 'install', '--no-audit', '--no-fund', '--strict-peer-deps', '--prefer-offline']
    case 'pnpm':
      return pnpmCommand(['install', '--prefer-offline', '--no-frozen-lockfile'])
    case 'yarn':
      return ['npx', '--yes', '--package', pinnedYarn, '--', 'yarn', 'install', '--no-immutable']
  }
}

async function configure(manager: PackageManager, folder: string, registryUrl: string): Promise<void> {
  if (manager !== 'yarn') await writeFile(path.join(folder, '.npmrc'), `@latchkey:registry=${registryUrl}\n`)
  if (manager === 'pnpm') {
    const settings = { strictPeerDependencies: true, allowBuilds: { esbuild: false } }
    await writeFile(path.join(folder, 'pnpm-workspace.yaml'), JSON.stringify(settings))
  }
  if (manager === 'yarn') {
    // Without a lockfile of its own Yarn takes the folder for a part of whatever lies above.
    await writeFile(path.join(folder, 'yarn.lock'), '')
    const settings = {
      nodeLinker: 'node-modules',
      enableTelemetry: false,
      enableScripts: false,
      unsafeHttpWhitelist: ['127.0.0.1', 'localhost'],
      npmRegistryServer: await registryOfThisMachine(folder),
      npmScopes: { latchkey: { npmRegistryServer: registryUrl } },
    }
    await writeFile(path.join(folder, '.yarnrc.yml'), JSON.stringify(settings))
  }
}

/** Yarn does not read npm's configuration. */
async function registryOfThisMachine(folder: string): Promise<string> {
  const { stdout } = await run('npm', ['config', 'get', 'registry'], { cwd: folder })
  return stdout.trim()
}

/**
 * The environment of an app's own tools: they run on the Node that runs us, and what pnpm tells the scripts it starts
 * is not taken for settings of the app.
 */
export function toolEnvironment(): NodeJS.ProcessEnv {
  const entries = Object.entries(process.env).filter(([name]) => !/^(?:npm_|pnpm_)/iu.test(name))
  const searchPath = [path.dirname(process.execPath), process.env['PATH']].join(path.delimiter)
  return { ...Object.fromEntries(entries), PATH: searchPath, NO_COLOR: '1', FORCE_COLOR: undefined }
}
