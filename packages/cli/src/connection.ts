import { readFile } from 'node:fs/promises'
import { type CommerceClient, createCommerceClient } from '@latchkey/commerce'
import type { Terminal } from './terminal.ts'
import { UsageError } from './usage-error.ts'

/** Options every command takes. */
export interface GlobalOptions {
  readonly baseUrl?: string
  readonly tokenFile?: string
  readonly timeout?: number
  readonly json?: boolean
}

/** Where the service is and what opens it. */
export interface Connection {
  readonly baseUrl: string
  readonly accessToken: string | undefined
  readonly commerce: CommerceClient
}

/** Said at the end of every `--help`. */
export const environmentHelp = `
Environment:
  LATCHKEY_BASE_URL           address of the service, such as https://commerce.example/v1
  LATCHKEY_ACCESS_TOKEN       access token; it is never taken from the command line and never printed
  LATCHKEY_ACCESS_TOKEN_FILE  file that holds the token, in place of the above (also --token-file)
`

/** @throws {UsageError} when the address or the token cannot be used. */
export async function connect(options: GlobalOptions, terminal: Terminal): Promise<Connection> {
  const baseUrl = options.baseUrl ?? terminal.env['LATCHKEY_BASE_URL']
  if (baseUrl === undefined || baseUrl === '') {
    throw new UsageError(
      'No service given. Set LATCHKEY_BASE_URL, or pass --base-url https://commerce.example/v1.',
    )
  }
  const accessToken = await readToken(options, terminal)
  const timeout = options.timeout === undefined ? undefined : options.timeout * 1000
  return { baseUrl, accessToken, commerce: createCommerceClient({ baseUrl, accessToken, timeout }) }
}

async function readToken(options: GlobalOptions, { env }: Terminal): Promise<string | undefined> {
  const file = options.tokenFile ?? env['LATCHKEY_ACCESS_TOKEN_FILE']
  if (file === undefined || file === '') {
    const token = env['LATCHKEY_ACCESS_TOKEN']
    return token === '' ? undefined : token
  }
  let text: string
  try {
    text = await readFile(file, 'utf8')
  } catch {
    throw new UsageError(`The token file ${file} cannot be read. Check its path and permissions.`)
  }
  const token = text.trim()
  if (token === '') throw new UsageError(`The token file ${file} is empty.`)
  return token
}
