import { createHash } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll } from 'vitest'
import { type LocalServer, startLocalServer } from '../workspace/local-server.ts'
import { type PackedPackage, packPackages } from './packed-package.ts'

/** What the tests of a file install from. */
export interface LocalRegistry {
  /** Its address. */
  readonly url: string
  /** A folder for the tests' apps, removed at the end. */
  readonly folder: string
}

/**
 * Packs our packages and serves them to the tests of a file as if they were published, so that package managers do everything
 * they do for users. They use this registry only for our scope.
 */
export function useLocalRegistry(): LocalRegistry {
  const registry = { url: '', folder: '' }
  let server: LocalServer
  beforeAll(async () => {
    registry.folder = await mkdtemp(path.join(os.tmpdir(), 'latchkey-packages-'))
    server = await serve(await packPackages(registry.folder))
    registry.url = server.url
  })
  afterAll(async () => {
    await server.close()
    await rm(registry.folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
  })
  return registry
}

async function serve(packages: readonly PackedPackage[]): Promise<LocalServer> {
  const tarballs = new Map<string, Buffer>()
  for (const { tarball } of packages) tarballs.set(path.basename(tarball), await readFile(tarball))

  return await startLocalServer((request, response) => {
    const name = decodeURIComponent((request.url ?? '/').slice(1))
    const tarball = tarballs.get(path.posix.basename(name))
    const packed = packages.find(({ manifest }) => manifest.name === name)
    if (tarball !== undefined) response.end(tarball)
    else if (packed === undefined) response.writeHead(404).end('{}')
    else {
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify(documentOf(packed, request.headers.host ?? '')))
    }
  })

  function documentOf({ manifest, tarball }: PackedPackage, host: string): unknown {
    const { name, version } = manifest
    const content = tarballs.get(path.basename(tarball)) ?? Buffer.alloc(0)
    const digest = (algorithm: string, encoding: 'base64' | 'hex') =>
      createHash(algorithm).update(content).digest(encoding)
    const dist = {
      tarball: `http://${host}/${name}/-/${path.basename(tarball)}`,
      integrity: `sha512-${digest('sha512', 'base64')}`,
      shasum: digest('sha1', 'hex'),
    }
    // Package managers may refuse packages that are less than a day old.
    const published = '2026-01-01T00:00:00.000Z'
    return {
      name,
      'dist-tags': { latest: version },
      versions: { [version]: { ...manifest, _id: `${name}@${version}`, dist } },
      time: { created: published, modified: published, [version]: published },
    }
  }
}
