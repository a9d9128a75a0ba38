import type { ProtocolRequest, ProtocolResponse, Session } from 'electron'
import { expect, test } from 'vitest'
import { type ActivationPage, serveActivationPage } from '../../../src/main/window/activation-page.ts'

const url = 'https://activation.latchkey.invalid/'

const page: ActivationPage = {
  titleBar: 'native',
  script: 'run()',
  styles: '',
  start: async () => {
    throw new Error('Reading the options failed.')
  },
}

type Answer = {
  readonly status: number | undefined
  readonly type: string | undefined
  readonly text: string
}
type Intercept = (request: ProtocolRequest, respond: (response: ProtocolResponse) => void) => void
type Handler = (request: Request) => Promise<Response>

/** A session as far as the page needs it. @param protocol what Electron offers for serving pages from memory */
function sessionWith(protocol: object): Session {
  const ignore = (): void => {}
  return {
    protocol,
    webRequest: { onBeforeRequest: ignore },
    setPermissionRequestHandler: ignore,
    setPermissionCheckHandler: ignore,
    setDevicePermissionHandler: ignore,
    on: ignore,
  } as unknown as Session
}

const ways: Readonly<Record<string, () => (address: string) => Promise<Answer>>> = {
  'an Electron of today'() {
    let intercept: Intercept | null = null
    serveActivationPage(
      sessionWith({
        interceptBufferProtocol(_scheme: string, handler: Intercept) {
          intercept = handler
          return true
        },
      }),
      page,
    )
    return (address) =>
      new Promise((resolve, reject) => {
        const request = { url: address, headers: {}, method: 'GET', referrer: '' }
        intercept?.(request, ({ error, statusCode: status, headers, data }) => {
          if (error !== undefined) reject(new Error('The page failed.'))
          resolve({ status, type: String(headers?.['content-type']), text: String(data) })
        })
      })
  },
  'an Electron without the deprecated function'() {
    let handler: Handler | null = null
    serveActivationPage(
      sessionWith({
        handle(_scheme: string, handle: Handler) {
          handler = handle
        },
      }),
      page,
    )
    return async (address) => {
      const response = await handler?.(new Request(address))
      const type = response?.headers.get('content-type') ?? undefined
      return { status: response?.status, type, text: (await response?.text()) ?? '' }
    }
  },
}

test.each(Object.keys(ways))('%s serves the page, and nothing else', async (way) => {
  const request = ways[way]?.()
  expect(await request?.(`${url}other.js`)).toMatchObject({ status: 404, text: '' })
  expect(await request?.('https://example.com/')).toMatchObject({ status: 404, text: '' })
})

test.each(Object.keys(ways))(
  'on %s a page that can’t be built fails to load, and doesn’t hang',
  async (way) => {
    await expect(ways[way]?.()(url)).rejects.toThrow()
  },
)
