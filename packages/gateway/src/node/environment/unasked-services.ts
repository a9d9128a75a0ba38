import { serviceNames, serviceSettings } from '@latchkey/services/environment'

/**
 * Finds services that have settings but aren't asked. Their license keys would be refused as unknown.
 *
 * @param chosen the names in `LATCHKEY_SERVICE`.
 * @returns one sentence per service. It never contains a value.
 */
export function findUnaskedServices(
  variables: Readonly<Record<string, string | undefined>>,
  chosen: readonly string[],
): readonly string[] {
  const isSet = (name: string): boolean => (variables[name] ?? '').trim() !== ''
  const settings = [
    // The command line also has a LATCHKEY_ACCESS_TOKEN.
    { service: 'commerce', names: ['LATCHKEY_UPSTREAM'] },
    ...serviceNames.map((service) => ({
      service,
      names: serviceSettings[service].variables.map(({ name }) => name),
    })),
  ]
  return settings.flatMap(({ service, names }) => {
    const set = chosen.includes(service) ? [] : names.filter(isSet)
    if (set.length === 0) return []
    const verb = set.length === 1 ? 'is' : 'are'
    return `${set.join(', ')} ${verb} set, but LATCHKEY_SERVICE doesn't include ${service}, so that service isn't asked. To ask it, add it to LATCHKEY_SERVICE.`
  })
}
