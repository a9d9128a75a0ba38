import { spawn } from 'node:child_process'
import { once } from 'node:events'
import * as z from 'zod/mini'
import { electronFromEnvironment } from '../e2e/electron-environment.ts'
import { waitUntil } from '../e2e/wait-until.ts'

/** A running packaged app. */
export interface PackagedApp extends AsyncDisposable {
  /** Waits until an expression is true in one of the app's windows. */
  until(expression: string): Promise<void>
}

/**
 * Starts a packaged app. Its fuses disable Node's inspector, which Playwright needs, so this uses Chromium's own
 * debugger.
 *
 * @throws Error with the app's output if it doesn't start.
 */
export async function startPackaged(executable: string, userDataPath: string): Promise<PackagedApp> {
  const { args } = electronFromEnvironment()
  const switches = ['--remote-debugging-port=0', '--password-store=basic', '--disable-gpu', '--lang=en']
  const child = spawn(executable, [...args, ...switches, `--user-data-dir=${userDataPath}`], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  }
  const ended = once(child, 'close')
  const end = async () => {
    child.kill('SIGKILL')
    await ended
  }
  const ready = waitUntil('the packaged app is ready', () => {
    if (child.exitCode !== null) throw new Error(`The packaged app ended at once:\n${output}`)
    return /DevTools listening on ws:\/\/([\w.:]+)/u.exec(output)?.[1]
  })
  const address = await ready.catch(async (error: unknown) => {
    await end()
    throw error
  })

  return {
    async until(expression) {
      const probe = async () => {
        for (const page of await pagesAt(address)) if ((await valueIn(page, expression)) === true) return true
        return undefined
      }
      await waitUntil(`in a window of the packaged app: ${expression}\n${output}`, probe, 60_000)
    },
    [Symbol.asyncDispose]: end,
  }
}

const pagesSchema = z.array(z.object({ type: z.string(), webSocketDebuggerUrl: z.optional(z.string()) }))
const resultSchema = z.object({ result: z.object({ result: z.object({ value: z.optional(z.unknown()) }) }) })

async function pagesAt(address: string): Promise<readonly string[]> {
  const pages = pagesSchema.parse(await (await fetch(`http://${address}/json/list`)).json())
  return pages.flatMap(({ type, webSocketDebuggerUrl: url }) =>
    type === 'page' && url !== undefined ? [url] : [],
  )
}

/** Evaluates an expression in a page; `undefined` if the page is gone. */
async function valueIn(page: string, expression: string): Promise<unknown> {
  const socket = new WebSocket(page)
  try {
    return await new Promise((resolve) => {
      socket.onerror = () => resolve(undefined)
      socket.onclose = () => resolve(undefined)
      socket.onopen = () =>
        socket.send(JSON.stringify({ id: 1, method: 'Runtime.evaluate', params: { expression } }))
      socket.onmessage = ({ data }) => {
        const answer = resultSchema.safeParse(JSON.parse(String(data)))
        if (answer.success) resolve(answer.data.result.result.value)
      }
    })
  } finally {
    socket.close()
  }
}
