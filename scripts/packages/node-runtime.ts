import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { madeOnce } from './made-once.ts'
import { runTool } from './run-tool.ts'

/** The oldest and the newest Node our commands support: from `engines`, and the latest when this was written. */
export const supportedNodes = ['22.0.0', '26.10.0'] as const

/** Returns the path of a Node of exactly this version, installed from npm's `node` package. */
export async function nodeRuntime(version: string): Promise<string> {
  const folder = await madeOnce(`node-${version}`, async (target) => {
    await mkdir(target, { recursive: true })
    await writeFile(path.join(target, 'package.json'), '{"private":true}')
    await runTool(
      ['npm', 'install', '--no-audit', '--no-fund', '--prefer-offline', `node@${version}`],
      target,
    )
  })
  const executable = process.platform === 'win32' ? 'node.exe' : 'node'
  return path.join(folder, 'node_modules', 'node', 'bin', executable)
}
