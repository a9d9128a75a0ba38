import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'

/**
 * Returns a response's decompressed body, according to its `Content-Encoding`. A body with an unknown encoding, or with
 * several encodings, is returned unchanged and then fails to parse as JSON.
 */
export function decoded(incoming: IncomingMessage): Readable {
  const decoder = decoderOf(incoming.headers['content-encoding'])
  if (decoder === null) return incoming
  // pipe() doesn't forward errors, and without one the reader would wait forever.
  incoming.once('error', (error) => decoder.destroy(error))
  // It doesn't close the connection either if the body isn't compressed, or goes on after its compressed part.
  const close = (): unknown => incoming.destroy()
  decoder.once('error', close).once('end', close)
  return incoming.pipe(decoder)
}

function decoderOf(encoding: string | undefined): (NodeJS.ReadWriteStream & Readable) | null {
  switch (encoding?.trim().toLowerCase()) {
    case 'gzip':
    case 'x-gzip':
      return createGunzip()
    case 'deflate':
      return createInflate()
    case 'br':
      return createBrotliDecompress()
    default:
      return null
  }
}
