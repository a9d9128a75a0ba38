import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { runTool } from '../workspace/run-tool.ts'
import { madeOnce } from './installed-command.ts'

/**
 * The Nodes that our commands are tested with: the oldest that the packages' `engines` allow, and in long runs also the
 * newest when this was written. The workspace's own is between them.
 */
export const supportedNodes: readonly string[] =
  process.env['LATCHKEY_LONG'] === '1' ? ['22.0.0', '26.10.0'] : ['22.0.0']

/** The package that npm's `node` package would install on this machine, which starts npm three times for it. */
const system = process.platform === 'win32' ? 'win' : process.platform
const prefix = system === 'darwin' && process.arch === 'arm64' ? 'node-bin' : 'node'
const packageName = `${prefix}-${system}-${process.arch}`

/** Returns the path of a Node of exactly this version. */
export async function nodeRuntime(version: string): Promise<string> {
  const folder = await madeOnce(`node-${version}`, async (target) => {
    await mkdir(target, { recursive: true })
    await writeFile(path.join(target, 'package.json'), '{"private":true}')
    const add = ['add', '--ignore-workspace', '--prefer-offline', `${packageName}@${version}`]
    await runTool(['pnpm', ...add], target)
  })
  const executable = process.platform === 'win32' ? 'node.exe' : 'node'
  return path.join(folder, 'node_modules', packageName, 'bin', executable)
}
