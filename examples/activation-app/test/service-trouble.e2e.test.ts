import type { FaultRule } from '@latchkey/emulator'
import { describe, expect } from 'vitest'
import { activateInkwell, eventually, pasteKey, seatsInUse, test } from './inkwell.ts'

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

// The app's 30 s limit, shortened.
const env = { LATCHKEY_SERVICE_TIMEOUT_MS: '700' }

describe.each(Object.entries(troubles))('when %s', (_name, { fault, code, told }) => {
  test('activation reports it, takes no seat, and succeeds once it is over', async ({
    openInkwell,
    emulator,
  }) => {
    const inkwell = await openInkwell({ env })
    const activation = await inkwell.activationWindow()
    if (fault) emulator.control.faults.inject(fault)
    else await emulator.control.pause()

    await pasteKey(activation, emulator.licenseKey)
    await activation.getByText(told).first().waitFor()
    const state = await activation.evaluate(() => window.latchkey.getState())
    expect(state).toMatchObject({ status: 'unlicensed', entitled: false, problem: { code } })
    expect(seatsInUse(emulator)).toBe(0)

    emulator.control.faults.clear()
    await emulator.control.resume()
    await activation.getByRole('button', { name: 'Try now' }).click()
    await inkwell.mainWindow()
    expect(seatsInUse(emulator)).toBe(1)
  })

  test('an activated app starts, stays entitled and keeps its record', async ({ openInkwell, emulator }) => {
    const first = await openInkwell()
    await activateInkwell(first, emulator.licenseKey)
    await first.close()
    if (fault) emulator.control.faults.inject(fault)
    else await emulator.control.pause()

    const second = await openInkwell({ env })
    const main = await second.mainWindow()
    const state = () => main.evaluate(() => window.latchkey.getState())
    await eventually(state).toMatchObject({ status: 'grace', entitled: true, problem: { code } })

    emulator.control.faults.clear()
    await emulator.control.resume()
    await main.evaluate(() => window.latchkey.validate())
    expect(await state()).toMatchObject({ status: 'active', problem: null })
    expect(seatsInUse(emulator)).toBe(1)
  })
})
