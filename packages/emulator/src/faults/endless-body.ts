import { Readable } from 'node:stream'
import { createGzip } from 'node:zlib'

const chunk: Buffer = Buffer.alloc(64 * 1024, 'a')

/** Streams `bytes` of JSON: one string in an array, generated while it is read. */
export function hugeJson(bytes: number): Readable {
  const opening = '{"data":["'
  const closing = '"]}'
  return Readable.from(
    (function* () {
      yield Buffer.from(opening)
      let left = Math.max(0, bytes - opening.length - closing.length)
      for (; left > chunk.length; left -= chunk.length) yield chunk
      yield chunk.subarray(0, left)
      yield Buffer.from(closing)
    })(),
    { objectMode: false },
  )
}

/** Streams the same data gzipped: about a thousandth of its size. */
export function gzippedJson(bytes: number): Readable {
  const source = hugeJson(bytes)
  const gzip = createGzip()
  source.on('error', (error) => gzip.destroy(error))
  gzip.on('close', () => source.destroy())
  return source.pipe(gzip)
}
