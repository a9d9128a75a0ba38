import { isServiceName, serviceSettings } from '@latchkey/services/environment'
import type { Terminal } from '../terminal.ts'

/**
 * Returns the sentences for a 404 that the service doesn't document: another server may be at the address that is set.
 * Empty if the service is asked at its usual address.
 *
 * @param service the service's name, such as `polar` or `commerce`.
 */
export function baseUrlAdvice(service: string, { env }: Terminal): string {
  if (!isServiceName(service)) return ''
  const name = serviceSettings[service].variables.find(({ option }) => option === 'baseUrl')?.name ?? ''
  if ((env[name] ?? '').trim() === '') return ''
  return ` Check ${name}. If the emulator is there, start it with --face ${service}.`
}
