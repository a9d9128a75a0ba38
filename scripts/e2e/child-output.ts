import type { ChildProcess } from 'node:child_process'
import { subscribe } from 'node:diagnostics_channel'
import { StringDecoder } from 'node:string_decoder'

const outputs = new WeakMap<object, string[]>()

/**
 * Keeps all output of child processes whose command line contains `marker`, from their first byte on.
 *
 * Playwright hands out the process of an app only once it has connected to it, which loses what the app said
 * before; Node tells of every child it starts on this channel.
 */
export function keepChildOutput(marker: string): void {
  subscribe('child_process', (message) => {
    if (!isSpawnMessage(message)) return
    const child = message.process
    // Its streams and arguments are not there yet.
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

/** What a child has written to stdout and stderr so far; see {@link keepChildOutput}. */
export function childOutput(child: ChildProcess): string {
  return (outputs.get(child) ?? []).join('')
}

function isSpawnMessage(message: unknown): message is { process: ChildProcess } {
  return typeof message === 'object' && message !== null && 'process' in message
}
