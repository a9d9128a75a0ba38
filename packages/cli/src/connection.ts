import { readFile } from 'node:fs/promises'
import { type CommerceClient, createCommerceClient, isCommerceError } from '@latchkey/commerce'
import { createNodeClient } from '@latchkey/commerce/node'
import { serviceNames, serviceVariablesHelp } from '@latchkey/services/environment'
import { decodeText } from './input/decode-text.ts'
import { asSentence, hiddenName, shownFile } from './printable.ts'
import type { Terminal } from './terminal.ts'
import { checkTokenText } from './token-text.ts'
import { UsageError } from './usage-error.ts'

/** Options of every command. */
export interface GlobalOptions {
  readonly baseUrl?: string
  readonly tokenFile?: string
  readonly timeout?: number
  readonly json?: boolean
}

/** The address of the service and the credentials for it. */
export interface Connection {
  readonly baseUrl: string
  readonly accessToken: string | undefined
  /** Time limit of one request, in milliseconds. */
  readonly timeoutMs: number
  /** The form of license and key ids. */
  readonly ids: 'uuid' | 'any'
  readonly commerce: CommerceClient
}

/** Printed at the end of every `--help`. */
export const environmentHelp: string = `
Environment:
  LATCHKEY_BASE_URL           address of the commerce service or a gateway, such as
                              https://commerce.example/v1
  LATCHKEY_ACCESS_TOKEN       access token; it is never taken from the command line and never printed
  LATCHKEY_ACCESS_TOKEN_FILE  file with the token (also --token-file); it takes precedence over LATCHKEY_ACCESS_TOKEN
  LATCHKEY_SERVICE            ${serviceNames.join(', ')}: doctor, keys and license ask that service,
                              with these settings:
${serviceVariablesHelp}
  LATCHKEY_SIGNING_KEY        the gateway's signing key, for latchkey offline
`

/** @throws {UsageError} if the address or the token is unusable. */
export async function connect(options: GlobalOptions, terminal: Terminal): Promise<Connection> {
  const baseUrl = options.baseUrl ?? terminal.env['LATCHKEY_BASE_URL']
  if (baseUrl === undefined || baseUrl === '') {
    throw new UsageError(
      'No service is set. Set LATCHKEY_BASE_URL, or pass --base-url https://commerce.example/v1. For another service, set LATCHKEY_SERVICE: latchkey --help lists its settings.',
    )
  }
  refuseQuotes(baseUrl, options.baseUrl === undefined ? 'LATCHKEY_BASE_URL' : '--base-url')
  return connectTo(baseUrl, checkTokenText(await readToken(options, terminal)), timeoutMsOf(options))
}

/** Returns the time limit of one request, in milliseconds. */
export function timeoutMsOf({ timeout = 15 }: GlobalOptions): number {
  return timeout * 1000
}

/**
 * Creates the client for a service.
 *
 * @param ids `any` for a gateway, which may be in front of another service.
 * @throws {UsageError} if the address or the token is unusable.
 */
export function connectTo(
  baseUrl: string,
  accessToken: string | undefined,
  timeoutMs: number,
  ids: 'uuid' | 'any' = 'uuid',
): Connection {
  try {
    // Node's own `fetch` would take most of the processor time of an export.
    const { exchange } = createNodeClient()
    const commerce = createCommerceClient({ baseUrl, accessToken, timeout: timeoutMs, ids, exchange })
    return { baseUrl, accessToken, timeoutMs, ids, commerce }
  } catch (error) {
    if (!isCommerceError(error)) throw error
    throw new UsageError(
      inWordsOfTheCommand(error.hint ?? error.message, ids === 'any' ? 'gateway' : 'service'),
    )
  }
}

/** Replaces the names of client options with the names of the command's settings. */
function inWordsOfTheCommand(hint: string, whose: 'service' | 'gateway'): string {
  const text = hint
    .replace('use https://, or set allowInsecure', 'use https://')
    .replaceAll('baseUrl', `the address of the ${whose}`)
    .replaceAll('accessToken', 'the access token')
  return asSentence(text)
}

/** Where the access token is from. */
export interface TokenSource {
  readonly setting: '--token-file' | 'LATCHKEY_ACCESS_TOKEN_FILE' | 'LATCHKEY_ACCESS_TOKEN'
  /** The name of the file, or the token itself. */
  readonly value: string
}

/** Returns where the access token is from; `null` if none is set. A file takes precedence. */
export function tokenSource({ tokenFile }: GlobalOptions, env: Terminal['env']): TokenSource | null {
  const setting = tokenFile === undefined ? 'LATCHKEY_ACCESS_TOKEN_FILE' : '--token-file'
  const file = tokenFile ?? env['LATCHKEY_ACCESS_TOKEN_FILE'] ?? ''
  if (file !== '') return { setting, value: file }
  const token = env['LATCHKEY_ACCESS_TOKEN'] ?? ''
  return token === '' ? null : { setting: 'LATCHKEY_ACCESS_TOKEN', value: token }
}

async function readToken(options: GlobalOptions, { env }: Terminal): Promise<string | undefined> {
  const source = tokenSource(options, env)
  if (source === null) return undefined
  if (source.setting === 'LATCHKEY_ACCESS_TOKEN') return source.value
  const file = source.value
  refuseQuotes(file, source.setting)
  let text: string
  try {
    text = decodeText(await readFile(file))
  } catch {
    if (file === '-') throw new UsageError(noStandardInput)
    const shown = shownFile(file)
    const path = file.startsWith('~') ? onlyShellsExpand : checkPath
    const advice = shown === hiddenName ? 'Pass the name of a file, not the token.' : path
    throw new UsageError(`The token file ${shown} cannot be read. ${advice}`)
  }
  const token = text.trim()
  if (token === '') throw new UsageError(`The token file ${shownFile(file)} is empty.`)
  return token
}

/** @throws {UsageError} if a value is in quotation marks, as a variable from Docker's `--env-file` may be. */
function refuseQuotes(value: string, setting: string): void {
  if (!/^["'`“”‘’].*["'`“”‘’]$/u.test(value)) return
  throw new UsageError(`The value of ${setting} is in quotation marks. Remove them.`)
}

const noStandardInput = 'The access token isn’t read from standard input. Pass the name of a file.'
const checkPath = 'Check its path and permissions.'
const onlyShellsExpand = 'Write its whole path: only a shell replaces ~, and not in quotation marks.'
