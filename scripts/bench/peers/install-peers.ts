import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { madeOnce } from '../../packages/made-once.ts'
import { runTool } from '../../packages/run-tool.ts'
import { peers } from './peers.ts'

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
