import { isServiceName, serviceSettings } from '@latchkey/services/environment'

/**
 * Returns the sentence that names the variables with the vendor's key.
 *
 * @param service the service's name, such as `polar` or `commerce`.
 */
export function vendorKeyAdvice(service: string): string {
  const names = isServiceName(service)
    ? serviceSettings[service].variables.filter(({ isSecret }) => isSecret).map(({ name }) => name)
    : ['LATCHKEY_ACCESS_TOKEN_FILE', 'LATCHKEY_ACCESS_TOKEN']
  return `The setting for the vendor’s key is ${names.join(' or ')}.`
}
