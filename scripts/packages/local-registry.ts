import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import path from 'node:path'
import type { PackedPackage } from './packed-package.ts'

/** A registry with only our own packages. Package managers use it only for our scope. */
export interface LocalRegistry {
  readonly url: string
  close(): Promise<void>
}

/** Serves tarballs as if they were published, so that package managers do everything they do for users. */
export async function startLocalRegistry(packages: readonly PackedPackage[]): Promise<LocalRegistry> {
  const tarballs = new Map<string, Buffer>()
  for (const { tarball } of packages) tarballs.set(path.basename(tarball), await readFile(tarball))

  const server = createServer((request, response) => {
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
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The registry got no port.')

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

  return {
    url: `http://127.0.0.1:${address.port}/`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
