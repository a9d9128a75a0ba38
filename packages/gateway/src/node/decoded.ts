import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'

/**
 * The body of an answer as its `Content-Encoding` says it was before it was compressed. An unknown encoding, or several
 * at once, is left as it came: what it holds will not read as JSON.
 */
export function decoded(incoming: IncomingMessage): Readable {
  const decoder = decoderOf(incoming.headers['content-encoding'])
  if (decoder === null) return incoming
  // A connection that breaks must not leave the reader waiting for an end.
  incoming.once('error', (error) => decoder.destroy(error))
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
