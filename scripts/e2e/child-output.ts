import type { ChildProcess } from 'node:child_process'
import { subscribe } from 'node:diagnostics_channel'
import { StringDecoder } from 'node:string_decoder'

const outputs = new WeakMap<object, string[]>()

/**
 * Keeps all output of child processes whose command line contains `marker`, from the first byte.
 *
 * Playwright returns an app's process only after it has connected to it, which loses earlier output. Node publishes
 * every child process on this channel.
 */
export function keepChildOutput(marker: string): void {
  subscribe('child_process', (message) => {
    if (!isSpawnMessage(message)) return
    const child = message.process
    // Its streams and arguments don't exist yet.
    child.once('spawn', () => {
      if (!child.spawnargs.some((arg) => arg.includes(marker))) return
      const chunks: string[] = []
      outputs.set(child, chunks)
      for (const stream of [child.stdout, child.stderr]) {
        const decoder = new StringDecoder('utf8')
        stream?.on('data', (chunk: Buffer) => chunks.push(decoder.write(chunk)))
      }
    })
  })
}

/** Returns what a child has written to stdout and stderr so far; see {@link keepChildOutput}. */
export function childOutput(child: ChildProcess): string {
  return (outputs.get(child) ?? []).join('')
}

function isSpawnMessage(message: unknown): message is { process: ChildProcess } {
  return typeof message === 'object' && message !== null && 'process' in message
}
