import { readFile } from 'node:fs/promises'
import { type CommerceClient, createCommerceClient } from '@latchkey/commerce'
import { createNodeClient } from '@latchkey/commerce/node'
import { baseUrlOption, isExposed, secretOption } from '@latchkey/commerce/options'
import type { LicenseService, ResponseFacts, ServiceCall } from '@latchkey/services'
import { commerce } from '@latchkey/services/commerce'
import {
  isServiceName,
  nearestName,
  readService,
  serviceNames,
  serviceSettings,
  serviceVariableNames,
  serviceVariablesHelp,
  withoutQuotes,
} from '@latchkey/services/environment'
import * as z from 'zod/mini'
import { CommandError } from './command-error.ts'
import { baseUrlVariable, vendorKeyVariables } from './explain/setting-advice.ts'
import { decodeText, type Terminal } from './terminal.ts'

/** Options of every command. */
export interface GlobalOptions {
  readonly baseUrl?: string
  readonly tokenFile?: string
  /** In seconds. */
  readonly timeout: number
  readonly json?: boolean
}

/** Where a command sends its requests, and what an explanation of a failure needs to know about that. */
export interface Connection {
  readonly terminal: Terminal
  readonly options: GlobalOptions
  /** The service's name, such as `polar` or `commerce`. */
  readonly name: string
  readonly isGateway: boolean
  readonly baseUrl: string
  /** Where the access token is from, such as `--token-file`; `null` if there is none. */
  readonly tokenSetting: string | null
  readonly call: ServiceCall
  /** Returns the latest response: a failure has no headers of its own. */
  lastResponse(): ResponseFacts | null
}

/** The context of a command that asks a licensing service. */
export interface ServiceContext extends Connection {
  readonly service: LicenseService
}

/** The context of a command that asks for the lists of the commerce service. */
export interface ListContext extends Connection {
  readonly commerce: CommerceClient
}

const ownVariables = [
  'LATCHKEY_BASE_URL',
  'LATCHKEY_ACCESS_TOKEN',
  'LATCHKEY_ACCESS_TOKEN_FILE',
  'LATCHKEY_SERVICE',
  'LATCHKEY_SIGNING_KEY',
]

/** Printed at the end of every `--help`. */
export const environmentHelp: string = `
Environment:
  LATCHKEY_BASE_URL           address of the commerce service or a gateway, such as
                              https://commerce.example/v1
  LATCHKEY_ACCESS_TOKEN       access token; it is never taken from the command line and never printed
  LATCHKEY_ACCESS_TOKEN_FILE  file with the token (also --token-file); it takes precedence over LATCHKEY_ACCESS_TOKEN
  LATCHKEY_SERVICE            ${serviceNames.join(', ')}: doctor, keys, license and offline ask that service,
                              with these settings:
${serviceVariablesHelp}
  LATCHKEY_SIGNING_KEY        the gateway's signing key, for latchkey offline
`

/** Returns the name in `LATCHKEY_SERVICE`. */
export function serviceNameOf({ env }: Pick<Terminal, 'env'>): string {
  return env['LATCHKEY_SERVICE']?.trim() || 'commerce'
}

/** Connects to the service in the environment. @throws {CommandError} No message shows a setting's value. */
export async function connectService(options: GlobalOptions, terminal: Terminal): Promise<ServiceContext> {
  const name = serviceNameOf(terminal)
  if (name === 'commerce') {
    const { baseUrl, accessToken, tokenSetting } = await readCommerceSettings(options, terminal)
    return {
      ...connect(options, terminal, baseUrl, tokenSetting),
      service: commerce({ baseUrl, accessToken }),
    }
  }
  if (!isServiceName(name)) {
    const names = ['commerce', ...serviceNames]
    const nearest = nearestName(name.toLowerCase(), names)
    // The gateway's setting of this name may list several.
    const single = name.includes(',') ? ', one at a time: the command line asks one service' : ''
    const hint = nearest === null ? '' : ` Did you mean ${nearest}?`
    throw new CommandError(`LATCHKEY_SERVICE must be one of ${names.join(', ')}${single}.${hint}`)
  }
  // Ignoring an option could send a request that is meant for a test server to the live service.
  const misplaced = [
    [options.baseUrl, '--base-url', baseUrlVariable(name)],
    [options.tokenFile, '--token-file', vendorKeyVariables(name)],
  ] as const
  const problems = misplaced.flatMap(([given, option, variable]) =>
    given === undefined
      ? []
      : `${option} is for the commerce service, and LATCHKEY_SERVICE is ${name}. Set ${variable} in its place.`,
  )
  const variables = serviceSettings[name].variables.map((variable) => variable.name)
  const service = readService(name, withoutQuotes(terminal.env, variables, problems), problems)
  if (service === null || problems.length > 0) throw new CommandError(problems.join(' '))
  return { ...connect(options, terminal, service.baseUrl, null), name, service }
}

/** Connects to a gateway, as an app does: without a token. @throws {CommandError} if the address is unusable. */
export function connectGateway(address: string, options: GlobalOptions, terminal: Terminal): ServiceContext {
  const baseUrl = readSetting(baseUrlOption, address, 'The address of the gateway')
  const service = commerce({ baseUrl, licenseKeys: 'any' })
  return { ...connect(options, terminal, baseUrl, null), isGateway: true, service }
}

/** Connects to the commerce service. @throws {CommandError} if the environment chooses another one. */
export async function connectLists(options: GlobalOptions, terminal: Terminal): Promise<ListContext> {
  if (serviceNameOf(terminal) !== 'commerce') {
    throw new CommandError('Only the commerce service has this command. Unset LATCHKEY_SERVICE to use it.')
  }
  const { tokenSetting, ...settings } = await readCommerceSettings(options, terminal)
  const connection = connect(options, terminal, settings.baseUrl, tokenSetting)
  const { fetch, timeoutMs } = connection.call
  return { ...connection, commerce: createCommerceClient({ ...settings, fetch, timeout: timeoutMs }) }
}

function connect(
  options: GlobalOptions,
  terminal: Terminal,
  baseUrl: string,
  tokenSetting: string | null,
): Connection {
  let last: ResponseFacts | null = null
  const onResponse = (response: ResponseFacts): void => {
    last = response
  }
  const { fetch } = createNodeClient()
  return {
    terminal,
    options,
    name: 'commerce',
    isGateway: false,
    baseUrl,
    tokenSetting,
    call: { fetch, signal: terminal.signal, timeoutMs: options.timeout * 1000, onResponse },
    lastResponse: () => last,
  }
}

interface CommerceSettings {
  readonly baseUrl: string
  readonly accessToken: string | undefined
  readonly tokenSetting: string | null
}

async function readCommerceSettings(options: GlobalOptions, terminal: Terminal): Promise<CommerceSettings> {
  const address = options.baseUrl ?? terminal.env['LATCHKEY_BASE_URL'] ?? ''
  if (address === '') {
    throw new CommandError(
      'No service is set. Set LATCHKEY_BASE_URL, or pass --base-url https://commerce.example/v1. For another service, set LATCHKEY_SERVICE: latchkey --help lists its settings.',
    )
  }
  refuseQuotes(address, options.baseUrl === undefined ? 'LATCHKEY_BASE_URL' : '--base-url')
  const baseUrl = readSetting(baseUrlOption, address, 'The address of the service')
  const { token, tokenSetting } = await readToken(options, terminal)
  const subject = 'The access token'
  const accessToken =
    tokenSetting === null
      ? undefined
      : readSetting(secretOption, readSetting(tokenSchema, token, subject), subject)
  if (accessToken !== undefined && isExposed(baseUrl)) {
    throw new CommandError(
      'With http:// to another machine, anyone on the network path can read the access token: use https://.',
    )
  }
  return { baseUrl, accessToken, tokenSetting }
}

/** Refuses what is copied along with a token by mistake, so that the service doesn't refuse it without a reason. */
const tokenSchema = z.string().check(
  z.refine((text) => !/[\r\n]/u.test(text), {
    error: 'has more than one line. Its file contains the token and nothing else, not even a comment',
    abort: true,
  }),
  // A token has equals signs only at its end.
  z.refine((text) => !/^(?:export\s+)?[a-z_]\w*=[^=]/iu.test(text), {
    error:
      'begins with a name and an equals sign. Keep only the part after it, without quotation marks: a token file contains nothing else',
    abort: true,
  }),
  z.refine((text) => !/^["'`“”‘’]|["'`“”‘’]$/u.test(text), {
    error: 'is in quotation marks. Remove them',
    abort: true,
  }),
)

/** @param subject begins the sentence about an unusable value. @throws {CommandError} */
function readSetting(schema: z.ZodMiniType<string>, value: string, subject: string): string {
  const { success, data, error } = schema.safeParse(value)
  if (success) return data
  throw new CommandError(`${subject} ${error.issues[0]?.message ?? 'is unusable'}.`)
}

/**
 * Reads the access token. A file takes precedence. No message repeats the name of a file, because someone may have put
 * the token in its place.
 */
async function readToken(
  { tokenFile }: GlobalOptions,
  { env }: Terminal,
): Promise<Pick<CommerceSettings, 'tokenSetting'> & { readonly token: string }> {
  const fileSetting = tokenFile === undefined ? 'LATCHKEY_ACCESS_TOKEN_FILE' : '--token-file'
  const file = tokenFile ?? env['LATCHKEY_ACCESS_TOKEN_FILE'] ?? ''
  if (file === '') {
    const token = env['LATCHKEY_ACCESS_TOKEN'] ?? ''
    return { token, tokenSetting: token === '' ? null : 'LATCHKEY_ACCESS_TOKEN' }
  }
  refuseQuotes(file, fileSetting)
  if (file === '-') {
    throw new CommandError('The access token isn’t read from standard input. Pass the name of a file.')
  }
  const text = await readFile(file).then(decodeText, () => {
    const advice = file.startsWith('~')
      ? 'Write its whole path: only a shell replaces ~, and not in quotation marks.'
      : 'Pass the name of a file, not the token, and check its path and permissions.'
    throw new CommandError(`The file of ${fileSetting} cannot be read. ${advice}`)
  })
  if (text.trim() === '') throw new CommandError(`The file of ${fileSetting} is empty.`)
  return { token: text.trim(), tokenSetting: fileSetting }
}

/** @throws {CommandError} if a value is in quotation marks, as a variable from Docker's `--env-file` may be. */
function refuseQuotes(value: string, setting: string): void {
  if (!/^["'`“”‘’].*["'`“”‘’]$/u.test(value)) return
  throw new CommandError(`The value of ${setting} is in quotation marks. Remove them.`)
}

/** Returns a sentence for each variable whose name is close to one that isn't set. Others may belong to the gateway. */
export function mistypedVariables(env: Terminal['env']): readonly string[] {
  const known = [...ownVariables, ...serviceVariableNames]
  const unset = known.filter((name) => (env[name] ?? '') === '')
  return Object.keys(env).flatMap((name) => {
    if (!/^LATCHKEY_/iu.test(name) || known.includes(name)) return []
    const nearest = nearestName(name.toUpperCase(), unset)
    return nearest === null ? [] : [`${name} is not a setting of latchkey. Did you mean ${nearest}?`]
  })
}
