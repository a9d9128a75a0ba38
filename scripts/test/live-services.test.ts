import { type Emulator, type FaceName, startEmulator } from '@latchkey/emulator'
import { afterEach, expect, test } from 'vitest'
import { askService, liveServices } from '../live/ask-service.ts'

// This runs the script for real services with emulated ones, so it works once a maintainer has credentials.

const running: Emulator[] = []
afterEach(async () => {
  await Promise.all(running.splice(0).map((emulator) => emulator.close()))
})

const faces: readonly FaceName[] = ['dodo', 'keygen', 'lemon-squeezy', 'polar']

/** The environment variables that a maintainer would set. */
function variablesOf(face: FaceName, { baseUrl, settings, licenseKey }: Emulator): Record<string, string> {
  const prefix = face.toUpperCase().replace('-', '_')
  const secret = {
    dodo: 'API_KEY',
    keygen: 'TOKEN',
    'lemon-squeezy': 'API_KEY',
    polar: 'ACCESS_TOKEN',
    commerce: '',
  }[face]
  const own = Object.entries(settings).map(([name, value]): [string, string] => [
    `${prefix}_${name.replaceAll(/[A-Z]/gu, (letter) => `_${letter}`).toUpperCase()}`,
    value,
  ])
  return {
    ...Object.fromEntries(own),
    [`${prefix}_LICENSE_KEY`]: licenseKey,
    [`${prefix}_BASE_URL`]: baseUrl,
    [`${prefix}_${secret}`]: 'demo',
  }
}

test('there is one for every emulated service', () => {
  expect(Object.keys(liveServices).sort()).toEqual([...faces].sort())
})

test.each(faces)('the check of %s succeeds and leaves no seat taken', async (face) => {
  const emulator = await startEmulator({ face })
  running.push(emulator)
  const setup = liveServices[face]
  if (setup === undefined) throw new Error('There is no such service.')
  const variables = variablesOf(face, emulator)
  expect(setup.needed.filter((name) => variables[name] === undefined)).toEqual([])
  const steps = await askService(
    setup.make((name) => variables[name]),
    emulator.licenseKey,
    0,
  )
  expect(steps.filter(({ isExpected }) => !isExpected)).toEqual([])
  expect(steps.length).toBeGreaterThan(9)
  expect(JSON.stringify(steps)).not.toContain(emulator.licenseKey)
  expect(emulator.control.keys(emulator.demoLicense.id)).toEqual([])
})

test('a service that is down is reported, not thrown', async () => {
  const emulator = await startEmulator({ face: 'polar' })
  running.push(emulator)
  await emulator.control.pause()
  const variables = variablesOf('polar', emulator)
  const service = liveServices['polar']?.make((name) => variables[name])
  const steps = service === undefined ? [] : await askService(service, emulator.licenseKey, 0)
  expect(steps.at(-1)).toMatchObject({ name: 'activate', isExpected: false })
})
