import type { LicenseService } from '../contract/license-service.ts'
import { readSwitch, switchRule } from './read-switch.ts'
import { type ServiceName, serviceNames, serviceSettings } from './service-variables.ts'

/** Whether a string is the name of a service that {@link readService} supports. */
export function isServiceName(text: string): text is ServiceName {
  return serviceNames.some((name) => name === text)
}

/**
 * Creates a service's adapter from environment variables such as `LATCHKEY_POLAR_ORGANIZATION_ID`.
 *
 * @param problems receives one sentence per missing or invalid variable. It never contains a value.
 * @returns `null` if there are problems.
 */
export function readService(
  name: ServiceName,
  variables: Readonly<Record<string, string | undefined>>,
  problems: string[],
): LicenseService | null {
  const { variables: known, make } = serviceSettings[name]
  const values: Record<string, string> = {}
  const unusable: string[] = []
  for (const variable of known) {
    const value = variables[variable.name]?.trim() ?? ''
    if (variable.isSwitch) {
      const isOn = readSwitch(value)
      if (isOn === null) unusable.push(`${variable.name} ${switchRule}.`)
      else if (isOn) values[variable.option] = '1'
    } else if (value !== '') values[variable.option] = value
    else if (variable.isRequired) unusable.push(`${variable.name} is missing: ${variable.description}.`)
  }
  problems.push(...unusable)
  if (unusable.length > 0) return null
  try {
    return make(values)
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    // The adapter's message names the option, so replace it with the variable.
    const [, option = '', rest = ''] = /^\w+: (\w+) (.*)$/su.exec(error.message) ?? []
    const variable = known.find((it) => it.option === option)
    problems.push(variable === undefined ? `${error.message}.` : `${variable.name} ${rest}.`)
    return null
  }
}

/** The help text for the variables of all services, for `--help`. */
export const serviceVariablesHelp: string = serviceNames
  .map((name) => {
    const { variables } = serviceSettings[name]
    const lines = variables.map(
      (variable) =>
        `    ${variable.name.padEnd(36)} ${variable.description}${variable.isRequired ? ' (required)' : ''}`,
    )
    return `  ${name}:\n${lines.join('\n')}`
  })
  .join('\n')

/** Names of all variables of all services. */
export const serviceVariableNames: readonly string[] = serviceNames.flatMap((name) =>
  serviceSettings[name].variables.map((variable) => variable.name),
)
