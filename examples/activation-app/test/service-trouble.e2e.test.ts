import type { FaultRule } from '@latchkey/emulator'
import { serviceUnderTest } from '@latchkey/scripts/e2e/service-under-test'
import { expect } from 'vitest'
import { eventually, pasteKey, seatsInUse, test } from './inkwell.ts'

interface Trouble {
  /** The failure; `null` if nothing listens. */
  readonly fault: FaultRule | null
  readonly code: string
  /** The start of the message. */
  readonly told: string
}

const troubles: Readonly<Record<string, Trouble>> = {
  'nobody listens': { fault: null, code: 'offline', told: 'We couldn’t reach the license service.' },
  'no answer comes': {
    fault: { fault: 'timeout' },
    code: 'timeout',
    told: 'The license service didn’t respond in time.',
  },
  'a public network shows its page instead': {
    fault: { fault: 'html' },
    code: 'unexpected-answer',
    told: 'Something other than the license service answered.',
  },
  'the answer ends in the middle': {
    fault: { fault: 'truncated' },
    code: 'incomplete-answer',
    told: 'The response from the license service was cut off.',
  },
  'the service breaks down': {
    fault: { fault: 'status', status: 500 },
    code: 'service-error',
    told: 'The license service is having problems.',
  },
}

/** A gateway reports every problem of the service as one, unless the app's time is over first. */
function asSeenByApp({ code, told }: Trouble): Pick<Trouble, 'code' | 'told'> {
  // An adapter reads half an answer as one that isn't from the service.
  const isAdapter = !serviceUnderTest.has('an address as `service`')
  if (isAdapter && code === 'incomplete-answer') {
    return { code: 'unexpected-answer', told: 'Something other than the license service answered.' }
  }
  if (!serviceUnderTest.isBehindGateway || code === 'timeout') return { code, told }
  return { code: 'service-error', told: 'The license service is having problems.' }
}

/** The app's limit of 30 s, shortened where it is waited for. Elsewhere a slow machine must not run into it. */
const envOf = (fault: FaultRule | null) =>
  fault?.fault === 'timeout' ? { LATCHKEY_SERVICE_TIMEOUT_MS: '2000' } : {}

const isLongRun = process.env['LATCHKEY_LONG'] === '1'
// Unit tests tell every trouble. Here, one without an answer and one with a stranger's answer stand for the others.
const inShortRuns: readonly string[] = ['no answer comes', 'a public network shows its page instead']
const tried = Object.entries(troubles).filter(([name]) => isLongRun || inShortRuns.includes(name))

test.for(tried)(
  'when %s, activation takes no seat and succeeds later, and an activated app keeps running',
  async ([, trouble], { openInkwell, emulator }) => {
    const { fault } = trouble
    const { code, told } = asSeenByApp(trouble)
    const env = envOf(fault)
    const begin = async (): Promise<void> => {
      if (fault) emulator.control.faults.inject(fault)
      else await emulator.control.pause()
    }
    const end = async (): Promise<void> => {
      emulator.control.faults.clear()
      await emulator.control.resume()
    }
    const inkwell = await openInkwell({ env })
    const activation = await inkwell.activationWindow()
    await begin()
    await pasteKey(activation, emulator.licenseKey)
    await activation.getByText(told).first().waitFor()
    expect(await activation.evaluate(() => window.latchkey.getState())).toMatchObject({
      status: 'unlicensed',
      entitled: false,
      problem: { code },
    })
    expect(seatsInUse(emulator)).toBe(0)

    await end()
    await activation.getByRole('button', { name: 'Try now' }).click()
    await inkwell.mainWindow()
    expect(seatsInUse(emulator)).toBe(1)
    await inkwell.close()

    await begin()
    const second = await openInkwell({ env })
    const main = await second.mainWindow()
    const state = () => main.evaluate(() => window.latchkey.getState())
    await eventually(state).toMatchObject({ status: 'grace', entitled: true, problem: { code } })

    await end()
    await main.evaluate(() => window.latchkey.validate())
    expect(await state()).toMatchObject({ status: 'active', problem: null })
    expect(seatsInUse(emulator)).toBe(1)
  },
)
