import { createNodeClient } from '@latchkey/commerce/node'
import type { LicenseService, ServiceCall } from '@latchkey/services'
import { commerce } from '@latchkey/services/commerce'
import {
  isServiceName,
  nearestName,
  readService,
  type ServiceName,
  serviceNames,
  serviceSettings,
  withoutQuotes,
} from '@latchkey/services/environment'
import { type CommandContext, type CommandOutput, outputOf } from '../command-context.ts'
import { type GlobalOptions, timeoutMsOf } from '../connection.ts'
import type { Terminal } from '../terminal.ts'
import { UsageError } from '../usage-error.ts'
import { baseUrlVariable, vendorKeyVariables } from './setting-advice.ts'

/** The context of a command that asks a licensing service through its adapter. */
export interface ServiceContext extends CommandOutput {
  readonly service: LicenseService
  readonly call: ServiceCall
}

/** Returns the name in `LATCHKEY_SERVICE`; `null` for the commerce service. */
export function chosenService({ env }: Terminal): string | null {
  const name = env['LATCHKEY_SERVICE']?.trim() ?? ''
  return name === '' || name === 'commerce' ? null : name
}

/** @throws {UsageError} if the service or one of its settings is unusable. No message shows a setting's value. */
export function serviceContextOf(name: string, options: GlobalOptions, terminal: Terminal): ServiceContext {
  if (!isServiceName(name)) {
    const names = ['commerce', ...serviceNames]
    const nearest = nearestName(name.toLowerCase(), names)
    const hint = nearest === null ? '' : ` Did you mean ${nearest}?`
    // The gateway's setting of this name may list several.
    const single = name.includes(',') ? ', one at a time: the command line asks one service' : ''
    throw new UsageError(`LATCHKEY_SERVICE must be one of ${names.join(', ')}${single}.${hint}`)
  }
  const problems = [...misplacedOptions(name, options)]
  const ownVariables = serviceSettings[name].variables.map((variable) => variable.name)
  const service = readService(name, withoutQuotes(terminal.env, ownVariables, problems), problems)
  if (service === null || problems.length > 0) throw new UsageError(problems.join(' '))
  const call = { signal: terminal.signal, timeoutMs: timeoutMsOf(options), fetch: createNodeClient().fetch }
  return { service, call, ...outputOf(options, terminal) }
}

/** Finds options of the commerce service. Ignoring one could send a request meant for a test server to the live service. */
function misplacedOptions(name: ServiceName, { baseUrl, tokenFile }: GlobalOptions): readonly string[] {
  const given = [
    ...(baseUrl === undefined ? [] : [{ option: '--base-url', variables: baseUrlVariable(name) }]),
    ...(tokenFile === undefined ? [] : [{ option: '--token-file', variables: vendorKeyVariables(name) }]),
  ]
  return given.map(
    ({ option, variables }) =>
      `${option} is for the commerce service, and LATCHKEY_SERVICE is ${name}. Set ${variables} in its place.`,
  )
}

/** Returns the commerce service as the adapters of other services are used. */
export function commerceServiceOf(context: CommandContext): ServiceContext {
  const { baseUrl, accessToken, timeoutMs, terminal, json, printJson } = context
  const service = commerce({ baseUrl, accessToken })
  const call = { signal: terminal.signal, timeoutMs, fetch: createNodeClient().fetch }
  return { service, call, terminal, json, printJson }
}

/** Refuses a command that only the commerce service has. @throws {UsageError} */
export function refuseOtherServices(terminal: Terminal): void {
  if (chosenService(terminal) === null) return
  throw new UsageError('Only the commerce service has this command. Unset LATCHKEY_SERVICE to use it.')
}
