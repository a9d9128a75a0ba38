import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import { type LocalRegistry, startLocalRegistry } from '../../packages/local-registry.ts'
import { packPackages } from '../../packages/packed-package.ts'
import type { BenchReport } from '../report.ts'
import { installForSize } from '../sizes/install-for-size.ts'
import { sizeIn, tell, total } from '../sizes/size-in.ts'
import { peers } from './peers.ts'

const latchkey = {
  name: '@latchkey/electron',
  module: '@latchkey/electron/main',
  version: undefined,
  screenFolder: undefined,
  holds: 'includes the activation window in twelve languages',
}

/** Reports what Latchkey and each peer add to the main process and to the disk. */
export async function tellPeerSizes(report: BenchReport, folder: string): Promise<void> {
  let registry: LocalRegistry | undefined
  try {
    registry = await startLocalRegistry(await packPackages(folder))
    report.section('What each package adds to the main process')
    for (const it of [
      latchkey,
      ...peers.map((peer) => ({ screenFolder: undefined, ...peer, module: peer.name })),
    ]) {
      const installed = await installForSize(folder, it.name, registry.url, it.version)
      const size = await sizeIn(installed, it.module)
      const title = `${it.name} ${installed.version}`
      tell(report, title, total(size), `bundled, everything it may load; ${it.holds}`)
      tell(report, title, size.gzip, 'the part that is loaded at every launch')
      if (it.screenFolder !== undefined) {
        const screen = path.join(installed.folder, 'node_modules', it.name, it.screenFolder)
        tell(report, title, await gzipOf(screen), 'the files of its activation window')
      }
      report.figure(title, installed.packages, '', 'dependencies at any depth, without peer dependencies')
      report.figure(title, installed.onDisk / 1_000_000, 'MB', 'on disk, installed')
    }
  } finally {
    await registry?.close()
  }
}

/** Returns the size of a folder's files, each compressed, in bytes. */
async function gzipOf(folder: string): Promise<number> {
  const names = await readdir(folder)
  const files = await Promise.all(names.map((name) => readFile(path.join(folder, name))))
  return files.reduce((size, file) => size + gzipSync(file, { level: 9 }).byteLength, 0)
}
