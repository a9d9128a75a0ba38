import { type CommerceClient, createCommerceClient } from '@latchkey/commerce'
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
import { createNodeClient } from '@latchkey/services/node'
import * as z from 'zod/mini'
import { CommandError, exitCodes } from './command-error.ts'
import { baseUrlVariable, vendorKeyVariables } from './explain/setting-advice.ts'
import { readTextFile, type Terminal } from './terminal.ts'

/** Options of every command. */
export interface GlobalOptions {
  readonly baseUrl?: string
  readonly tokenFile?: string
  /** In seconds. */
  readonly timeout: number
  readonly json?: boolean
}

/** What every command gets. */
export interface CommandContext {
  readonly terminal: Terminal
  readonly options: GlobalOptions
}

/** Prints a result: with `--json` the value, otherwise the lines. @returns the exit code 0. */
export async function show(
  { terminal, options }: CommandContext,
  value: object,
  ...lines: readonly string[]
): Promise<number> {
  await (options.json ? terminal.writeJson(value) : terminal.print(...lines))
  return exitCodes.ok
}

/** Where a command sends its requests, and what an explanation of a failure needs to know about that. */
export interface Connection extends CommandContext {
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

/** A service that lists devices. Some do so only with the vendor's key, which their settings require. */
type ListingService = LicenseService & Required<Pick<LicenseService, 'listActivations'>>

function listsDevices(service: LicenseService): service is ListingService {
  return service.listActivations !== undefined
}

/** The context of a command that asks a licensing service. */
export interface ServiceContext extends Connection {
  readonly service: ListingService
  /** The lists of the commerce service; `null` for another service or a gateway. */
  readonly lists: CommerceClient | null
}

/** The context of a command that asks for the lists of the commerce service. */
export interface ListContext extends ServiceContext {
  readonly lists: CommerceClient
}

const commerceVariables = ['LATCHKEY_BASE_URL', 'LATCHKEY_ACCESS_TOKEN', 'LATCHKEY_ACCESS_TOKEN_FILE']

/** Printed at the end of every `--help`. */
export const environmentHelp: string = `
Environment:
  LATCHKEY_BASE_URL           address of the commerce service or a gateway, such as
                              https://commerce.example/v1
  LATCHKEY_ACCESS_TOKEN       access token; it is never taken from the command line and never printed
  LATCHKEY_ACCESS_TOKEN_FILE  file with the token (also --token-file); it takes precedence over LATCHKEY_ACCESS_TOKEN
  LATCHKEY_SERVICE            ${serviceNames.join(', ')}: devices, doctor, license and offline ask that service,
                              with these settings:
${serviceVariablesHelp}
  LATCHKEY_SIGNING_KEY        the gateway's signing key, for latchkey offline
  LATCHKEY_LICENSE_SIGNING_KEY
                              the key of latchkey keys generate, for latchkey issue and revoke
`

/** Returns the name in `LATCHKEY_SERVICE`. */
export function serviceNameOf({ env }: Pick<Terminal, 'env'>): string {
  return env['LATCHKEY_SERVICE']?.trim() || 'commerce'
}

/** Connects to the service in the environment. @throws {CommandError} No message shows a setting's value. */
export async function connectService(context: CommandContext): Promise<ServiceContext> {
  const { options, terminal } = context
  const name = serviceNameOf(terminal)
  if (name === 'commerce') {
    const { tokenSetting, ...settings } = await readCommerceSettings(context)
    const connection = connect(context, commerce(settings), { tokenSetting })
    const { fetch, timeoutMs: timeout } = connection.call
    return { ...connection, lists: createCommerceClient({ ...settings, fetch, timeout }) }
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
  const problems: string[] = []
  for (const [given, option, variable] of [
    [options.baseUrl, '--base-url', baseUrlVariable(name)],
    [options.tokenFile, '--token-file', vendorKeyVariables(name)],
  ] as const) {
    const told = `${option} is for the commerce service, and LATCHKEY_SERVICE is ${name}. Set ${variable} in its place.`
    if (given !== undefined) problems.push(told)
  }
  const variables = serviceSettings[name].variables.map((variable) => variable.name)
  const service = readService(name, withoutQuotes(terminal.env, variables, problems), problems)
  if (service === null || problems.length > 0) throw new CommandError(problems.join(' '))
  return connect(context, service, { name })
}

/** Connects to a gateway, as an app does: without a token. @throws {CommandError} if the address is unusable. */
export function connectGateway(address: string, context: CommandContext): ServiceContext {
  const baseUrl = readSetting(baseUrlOption, address, 'The address of the gateway')
  return connect(context, commerce({ baseUrl, licenseKeys: 'any' }), { isGateway: true })
}

/** Connects to the commerce service. @throws {CommandError} if the environment chooses another one. */
export async function connectLists(context: CommandContext): Promise<ListContext> {
  const { lists, ...connected } = await connectService(context)
  if (lists !== null) return { ...connected, lists }
  throw new CommandError('Only the commerce service has this command. Unset LATCHKEY_SERVICE to use it.')
}

function connect(
  { options, terminal }: CommandContext,
  service: LicenseService,
  where: Partial<Pick<Connection, 'name' | 'isGateway' | 'tokenSetting'>>,
): ServiceContext {
  if (!listsDevices(service)) {
    throw new CommandError('The service lists devices only with the vendor’s key.')
  }
  let last: ResponseFacts | null = null
  const call = {
    fetch: createNodeClient().fetch,
    signal: terminal.signal,
    timeoutMs: options.timeout * 1000,
    onResponse(response: ResponseFacts) {
      last = response
    },
  }
  const { baseUrl } = service
  const place = { baseUrl, name: 'commerce', isGateway: false, tokenSetting: null, ...where }
  return { terminal, options, ...place, service, lists: null, call, lastResponse: () => last }
}

interface CommerceSettings {
  readonly baseUrl: string
  readonly accessToken: string | undefined
  readonly tokenSetting: string | null
}

async function readCommerceSettings({ options, terminal }: CommandContext): Promise<CommerceSettings> {
  const problems: string[] = []
  const env = withoutQuotes(terminal.env, commerceVariables, problems)
  if (problems.length > 0) throw new CommandError(problems.join(' '))
  const address = options.baseUrl ?? env['LATCHKEY_BASE_URL'] ?? ''
  if (address === '') {
    throw new CommandError(
      'No service is set. Set LATCHKEY_BASE_URL, or pass --base-url https://commerce.example/v1. For another service, set LATCHKEY_SERVICE: latchkey --help lists its settings.',
    )
  }
  const baseUrl = readSetting(baseUrlOption, address, 'The address of the service')
  const { token, tokenSetting } = await readToken(options, env)
  if (tokenSetting === null) return { baseUrl, accessToken: undefined, tokenSetting }
  const subject = 'The access token'
  const accessToken = readSetting(secretOption, readSetting(tokenSchema, token, subject), subject)
  if (!isExposed(baseUrl)) return { baseUrl, accessToken, tokenSetting }
  throw new CommandError(
    'With http:// to another machine, anyone on the network path can read the access token: use https://.',
  )
}

/**
 * Refuses what is copied along with a token by mistake, because the service would only refuse the token. A token has equals
 * signs only at its end.
 */
const tokenSchema = z
  .string()
  .check(
    z.regex(
      /^(?!(?:export\s+)?[a-z_]\w*=[^=])(?!["'`“”‘’])[^\r\n]*(?<!["'`“”‘’])$/iu,
      'has something beside it. Keep the token alone: no name and equals sign, no quotation marks, no second line',
    ),
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
  env: Terminal['env'],
): Promise<Pick<CommerceSettings, 'tokenSetting'> & { readonly token: string }> {
  const file = tokenFile ?? env['LATCHKEY_ACCESS_TOKEN_FILE'] ?? ''
  if (file === '') {
    const token = env['LATCHKEY_ACCESS_TOKEN'] ?? ''
    return { token, tokenSetting: token === '' ? null : 'LATCHKEY_ACCESS_TOKEN' }
  }
  const tokenSetting = tokenFile === undefined ? 'LATCHKEY_ACCESS_TOKEN_FILE' : '--token-file'
  const text = await readTextFile(
    file,
    `The file of ${tokenSetting} cannot be read. Pass the path of a file, not the token, and without ~, which only a shell replaces. Check its permissions.`,
  )
  return { token: text.trim(), tokenSetting }
}

/** Returns a sentence for each variable whose name is close to one that isn't set. Others may belong to the gateway. */
export function mistypedVariables(env: Terminal['env']): readonly string[] {
  const known = [
    ...commerceVariables,
    'LATCHKEY_SERVICE',
    'LATCHKEY_SIGNING_KEY',
    'LATCHKEY_LICENSE_SIGNING_KEY',
    ...serviceVariableNames,
  ]
  const unset = known.filter((name) => (env[name] ?? '') === '')
  return Object.keys(env).flatMap((name) => {
    if (!/^LATCHKEY_/iu.test(name) || known.includes(name)) return []
    const nearest = nearestName(name.toUpperCase(), unset)
    return nearest === null ? [] : [`${name} is not a setting of latchkey. Did you mean ${nearest}?`]
  })
}
