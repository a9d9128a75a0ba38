import assert from 'node:assert/strict'
import type { Emulator } from '@latchkey/emulator'
import { waitUntil } from '../e2e/wait-until.ts'
import type { ServiceDiary } from './service-diary.ts'
import type { Stage } from './stage.ts'

/** What a step of the tour uses. */
export interface TourContext {
  readonly stage: Stage
  readonly emulator: Emulator
  readonly diary: ServiceDiary
}

/** One step: does what a user would do, and throws if the result is wrong. */
export interface TourStep {
  readonly title: string
  /** Whether it starts the app again, or needs a step that does. @default false */
  readonly isAfterRestart?: boolean
  run(context: TourContext): Promise<void>
}

/** A well-formed key that belongs to no license. */
function unknownKeyOf({ licenseKey }: Emulator): string {
  return licenseKey.replace(/.$/u, (last) => (last === '0' ? '1' : '0'))
}

/** All steps, from the first start until the seat is free. */
export const tourSteps: readonly TourStep[] = [
  {
    title: 'First start: the app asks for a license key, and nothing else opens',
    async run({ stage, diary }) {
      await stage.start()
      const window = await stage.activationWindow()
      await window.getByLabel('License key').waitFor()
      assert.equal(stage.windowCount(), 1)
      assert.equal(diary.page().length, 0)
      await stage.picture(window, 'asks-for-a-key')
    },
  },
  {
    title: 'A wrong key is refused, with a sentence that says why',
    async run(context) {
      const window = await context.stage.activationWindow()
      await window.getByLabel('License key').fill(unknownKeyOf(context.emulator))
      await window.getByRole('button', { name: 'Activate', exact: true }).click()
      await window.locator('[part~=error]').waitFor()
      assert.equal(seatsInUse(context), 0)
      assert.ok(
        // Some services refuse with status 200.
        context.emulator.face !== 'commerce' || context.diary.page().every(({ status }) => status === 404),
        'the service refused everything',
      )
      await context.stage.picture(window, 'wrong-key')
    },
  },
  {
    title: 'The right key, pasted with spaces around it: the main window opens, one seat is taken',
    async run(context) {
      const { stage, emulator } = context
      const window = await stage.activationWindow()
      await window.getByLabel('License key').fill(`   ${emulator.licenseKey} \t `)
      await window.getByRole('button', { name: 'Activate', exact: true }).click()
      const main = await stage.mainWindow()
      await waitUntil('the activation screen closes', () => (stage.windowCount() === 1 ? true : undefined))
      assert.equal(seatsInUse(context), 1)
      await stage.picture(main, 'activated')
    },
  },
  {
    title: 'The license panel shows what the app knows, and never the whole key',
    async run(context) {
      const { stage, emulator } = context
      const main = await stage.mainWindow()
      await main.locator('.license-line').click()
      await main.getByRole('dialog').getByText('Licensed').waitFor()
      assert.ok(!(await main.content()).includes(emulator.licenseKey), 'the page has no full key')
      await stage.picture(main, 'license-panel')
    },
  },
  {
    title:
      'Quit and start again: the window opens before the service has answered, then the key is validated',
    isAfterRestart: true,
    async run(context) {
      const { stage, emulator, diary } = context
      await stage.quit()
      diary.turnPage()
      const slow = emulator.control.faults.inject({ fault: 'delay', delayMs: 3_000 })
      await stage.start()
      const main = await stage.mainWindow()
      assert.ok(
        diary.page().every(({ outcome }) => outcome === 'pending'),
        'the window opened without waiting for an answer',
      )
      await stage.picture(main, 'opens-at-once')
      await waitUntil('the key is validated', () =>
        diary.page().some((request) => request.operation === 'validate' && request.status === 200)
          ? true
          : undefined,
      )
      emulator.control.faults.remove(slow.id)
      assert.ok(!asked(context, 'activate'), 'nothing was activated again')
      assert.equal(seatsInUse(context), 1)
    },
  },
  {
    title: 'The service is down: the app still opens and works',
    isAfterRestart: true,
    async run({ stage, emulator }) {
      await stage.quit()
      await emulator.control.pause()
      await stage.start()
      const main = await stage.mainWindow()
      await main.locator('.license-line').getByText('offline').waitFor()
      await main.getByRole('button', { name: 'New note' }).click()
      await main
        .getByLabel('Text')
        .fill('# Written offline\n\nThe license service is down, the notebook is not.')
      await main.getByLabel('Preview').getByRole('heading', { name: 'Written offline' }).waitFor()
      await stage.picture(main, 'service-down')
    },
  },
  {
    title: 'The service is back: one check, and all is as before',
    isAfterRestart: true,
    async run({ stage, emulator }) {
      await emulator.control.resume()
      const main = await stage.mainWindow()
      await main.locator('.license-line').click()
      await main.getByRole('button', { name: 'Check now' }).click()
      await main.locator('.license-line').getByText('Licensed', { exact: true }).waitFor()
      await stage.picture(main, 'service-back')
    },
  },
  {
    title: 'Deactivate this device: its seat is free again',
    async run(context) {
      const { stage } = context
      const main = await stage.mainWindow()
      await main.getByRole('button', { name: 'Deactivate this device' }).click()
      await main.getByRole('button', { name: 'Deactivate', exact: true }).click()
      await waitUntil('the seat is free', () => (seatsInUse(context) === 0 ? true : undefined))
      const { activation_usage, activation_limit } = context.emulator.control.license(
        context.emulator.demoLicense.id,
      )
      assert.deepEqual([activation_usage, activation_limit], [0, 3])
      await main.locator('.license-line').getByText('Not activated').waitFor()
      await stage.picture(main, 'deactivated')
    },
  },
  {
    title: 'Start once more: the app asks for a key, as on the first day',
    isAfterRestart: true,
    async run(context) {
      const { stage } = context
      await stage.quit()
      context.diary.turnPage()
      await stage.start()
      const window = await stage.activationWindow()
      await window.getByLabel('License key').waitFor()
      assert.equal(stage.windowCount(), 1)
      await stage.picture(window, 'asks-again')
      await stage.quit()
    },
  },
]

function seatsInUse({ emulator }: TourContext): number {
  return emulator.control.keys(emulator.demoLicense.id).length
}

function asked({ diary }: TourContext, operation: string): boolean {
  return diary.page().some((request) => request.operation === operation)
}
