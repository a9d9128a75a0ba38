import { askService, type LiveServiceSetup, liveServices } from './live/ask-service.ts'

// `pnpm live [service]`: calls real licensing services, with sandbox credentials from the environment. It isn't part of
// the tests, because it takes a seat and frees it again.

const read = (name: string): string | undefined => process.env[name] || undefined

async function ask(name: string, setup: LiveServiceSetup): Promise<boolean> {
  const missing = setup.needed.filter((variable) => read(variable) === undefined)
  if (missing.length > 0) {
    console.log(`${name}: not asked, ${missing.join(', ')} missing. Optional: ${setup.optional.join(', ')}`)
    return true
  }
  const steps = await askService(setup.make(read), read(setup.licenseKeyVariable) ?? '', setup.pauseMs)
  for (const { name: step, isExpected, came } of steps) {
    console.log(`${isExpected ? 'good' : 'BAD '}  ${name}: ${step}: ${came}`)
  }
  return steps.every(({ isExpected }) => isExpected)
}

const [wanted] = process.argv.slice(2)
const chosen = Object.entries(liveServices).filter(([name]) => wanted === undefined || name === wanted)
if (chosen.length === 0) {
  console.error(`There is no service "${wanted}". Take one of ${Object.keys(liveServices).join(', ')}.`)
  process.exitCode = 2
}
for (const [name, setup] of chosen) {
  if (!(await ask(name, setup))) process.exitCode = 1
}
