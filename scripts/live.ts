import { isServiceName, readService, serviceNames } from '@latchkey/services/environment'
import { askService } from './live/ask-service.ts'

// `pnpm live [service]`: calls real licensing services, with sandbox credentials from the environment. It isn't part of
// the tests, because it takes a seat and frees it again. The variables are those of the gateway, such as
// `LATCHKEY_POLAR_ORGANIZATION_ID`, and a license key: `LATCHKEY_POLAR_LICENSE_KEY`.

/** Some services block an address that sends too many requests. */
const pauseMs = 2_500

const [wanted] = process.argv.slice(2)
if (wanted !== undefined && !isServiceName(wanted)) {
  throw new Error(`There is no service "${wanted}". Use one of ${serviceNames.join(', ')}.`)
}
for (const name of wanted === undefined ? serviceNames : [wanted]) {
  const problems: string[] = []
  const service = readService(name, process.env, problems)
  const keyVariable = `LATCHKEY_${name.toUpperCase().replace('-', '_')}_LICENSE_KEY`
  const licenseKey = process.env[keyVariable] ?? ''
  if (licenseKey === '') problems.push(`${keyVariable} is missing.`)
  if (service === null || licenseKey === '') {
    console.log(`${name}: not asked. ${problems.join(' ')}`)
    continue
  }
  for (const { name: step, isExpected, came } of await askService(service, licenseKey, pauseMs)) {
    console.log(`${isExpected ? 'good' : 'BAD '}  ${name}: ${step}: ${came}`)
    if (!isExpected) process.exitCode = 1
  }
}
