import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import type { Emulator, RequestRecord } from '@latchkey/emulator'
import type { Page } from 'playwright'
import * as z from 'zod/mini'
import { type LaunchedApp, launchApp } from '../e2e/launch-app.ts'
import { waitUntil } from '../e2e/wait-until.ts'
import { exampleAppPath } from '../workspace/repository.ts'
import type { Demo } from './start-demo.ts'

/** What a step uses: the app for one user on one computer. */
interface Stage {
  readonly licenseKey: string
  /** Its log has the requests of the current step. */
  readonly emulator: Emulator
  /** Starts the app with its existing data. */
  start(): Promise<void>
  /** Quits it like a user would. */
  quit(): Promise<void>
  /** Kills it if it is still running. */
  abandon(): Promise<void>
  /** Waits for the activation window. */
  activationWindow(): Promise<Page>
  /** Waits for the notebook's window. */
  mainWindow(): Promise<Page>
  /** Waits until only one window is open. */
  oneWindow(): Promise<void>
  /** Takes a screenshot of a window. */
  picture(page: Page, name: string): Promise<void>
}

function createStage(demo: Demo, userDataPath: string, picturesPath: string): Stage {
  let app: LaunchedApp | undefined
  let pictureCount = 0
  const running = () => {
    if (app === undefined) throw new Error('The app is not running.')
    return app
  }
  const windowWith = (selector: string, what: string) =>
    waitUntil(what, async () => {
      for (const page of running().electronApp.windows()) {
        // A window that is closing can't be inspected any more.
        const count = await page
          .locator(selector)
          .count()
          .catch(() => 0)
        if (count > 0) return page
      }
      return undefined
    })
  return {
    licenseKey: demo.licenseKey,
    emulator: demo.emulator,
    async start() {
      app = await launchApp({ appPath: exampleAppPath, userDataPath, env: demo.environment })
    },
    async quit() {
      await running().close()
      app = undefined
    },
    async abandon() {
      await app?.kill()
    },
    activationWindow: () => windowWith('latchkey-activation', 'the activation screen opens'),
    mainWindow: () => windowWith('.sidebar', 'the main window opens'),
    async oneWindow() {
      await waitUntil(
        'the other window closes',
        () => running().electronApp.windows().length === 1 || undefined,
      )
    },
    async picture(page, name) {
      pictureCount += 1
      const file = `${String(pictureCount).padStart(2, '0')}-${name}.png`
      await page.screenshot({ path: path.join(picturesPath, file), animations: 'disabled' })
    },
  }
}

const operationNames: Readonly<Record<string, string>> = {
  keys: 'list keys',
  key: 'show key',
  activate: 'activate',
  validate: 'validate',
  deactivate: 'deactivate',
}

/** Describes one request: `activate → 200`. */
export function describeRequest({ operation, method, path, status, outcome }: RequestRecord): string {
  const name = operation === null ? `${method} ${path}` : (operationNames[operation] ?? operation)
  if (outcome === 'pending') return `${name} → no answer yet`
  return `${name} → ${outcome === 'cut' ? 'connection cut' : status}`
}

/** One step: does what a user would do, and throws if the result is wrong. */
interface TourStep {
  readonly title: string
  run(stage: Stage): Promise<void>
}

/** A text like the license key, which belongs to no license. */
function edited(licenseKey: string): string {
  return licenseKey.replace(/.$/u, (last) => (last === '0' ? '8' : '0'))
}

async function enterKey(window: Page, text: string): Promise<void> {
  await window.getByLabel('License key').fill(text)
  await window.getByRole('button', { name: 'Activate', exact: true }).click()
}

async function deactivate(main: Page): Promise<void> {
  await main.getByRole('button', { name: 'Deactivate this device' }).click()
  await main.getByRole('button', { name: 'Deactivate', exact: true }).click()
  await main.locator('.license-line').getByText('Not activated').waitFor()
}

function seatsInUse({ emulator }: Stage): number {
  return emulator.control.keys(emulator.demoLicense.id).length
}

/** Expects that the service was asked nothing in this step. */
function expectNoRequest({ emulator }: Stage): void {
  assert.deepEqual(emulator.control.requests(), [])
}

/** All steps, from the first start until the seat is free. */
const tourSteps: readonly TourStep[] = [
  {
    title: 'First start: the app asks for a license key, and nothing else opens',
    async run(stage) {
      await stage.start()
      const window = await stage.activationWindow()
      await window.getByLabel('License key').waitFor()
      await stage.oneWindow()
      expectNoRequest(stage)
      await stage.picture(window, 'asks-for-a-key')
    },
  },
  {
    title: 'A wrong key is refused, with a sentence that says why',
    async run(stage) {
      const window = await stage.activationWindow()
      await enterKey(window, edited(stage.licenseKey))
      await window.locator('[part~=error]').waitFor()
      assert.equal(seatsInUse(stage), 0)
      await stage.picture(window, 'wrong-key')
    },
  },
  {
    title: 'The right key, pasted with spaces around it: the main window opens, one seat is taken',
    async run(stage) {
      await enterKey(await stage.activationWindow(), `   ${stage.licenseKey} \t `)
      const main = await stage.mainWindow()
      await stage.oneWindow()
      assert.equal(seatsInUse(stage), 1)
      await stage.picture(main, 'activated')
    },
  },
  {
    title: 'The license panel shows what the app knows, and never the whole key',
    async run(stage) {
      const main = await stage.mainWindow()
      await main.locator('.license-line').click()
      await main.getByRole('dialog').getByText('Licensed', { exact: true }).waitFor()
      assert.ok(!(await main.content()).includes(stage.licenseKey), 'the page has no full key')
      await stage.picture(main, 'license-panel')
    },
  },
  {
    title:
      'Quit and start again: the window opens before the service has answered, then the key is validated',
    async run(stage) {
      const { control } = stage.emulator
      await stage.quit()
      control.clearRequests()
      const slow = control.faults.inject({ fault: 'delay', delayMs: 3_000 })
      await stage.start()
      const main = await stage.mainWindow()
      assert.ok(
        control.requests().every(({ outcome }) => outcome === 'pending'),
        'the window opened without waiting for an answer',
      )
      await stage.picture(main, 'opens-at-once')
      await waitUntil('the key is validated', () =>
        control.requests().find(({ operation, status }) => operation === 'validate' && status === 200),
      )
      control.faults.remove(slow.id)
      assert.ok(
        !control.requests().some(({ operation }) => operation === 'activate'),
        'nothing was activated again',
      )
      assert.equal(seatsInUse(stage), 1)
    },
  },
  {
    title: 'The service is down: the app still opens and works',
    async run(stage) {
      await stage.quit()
      await stage.emulator.control.pause()
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
    async run(stage) {
      await stage.emulator.control.resume()
      const main = await stage.mainWindow()
      await main.locator('.license-line').click()
      await main.getByRole('button', { name: 'Check now' }).click()
      await main.locator('.license-line').getByText('Licensed', { exact: true }).waitFor()
      await stage.picture(main, 'service-back')
    },
  },
  {
    title: 'Deactivate this device: its seat is free again',
    async run(stage) {
      const main = await stage.mainWindow()
      await deactivate(main)
      await waitUntil('the seat is free', () => seatsInUse(stage) === 0 || undefined)
      await stage.picture(main, 'deactivated')
    },
  },
  {
    title: 'Start once more: the app asks for a key, as on the first day',
    async run(stage) {
      await stage.quit()
      await stage.start()
      const window = await stage.activationWindow()
      await window.getByLabel('License key').waitFor()
      await stage.oneWindow()
      await stage.picture(window, 'asks-again')
      await stage.quit()
    },
  },
]

const requestSchema = z.object({ ok: z.literal(true), text: z.string(), link: z.string() })
const answerSchema = z.object({ answer: z.string() })

/** What a person with a phone does: opens the page, and activates there. */
async function answerTo({ link, text }: z.infer<typeof requestSchema>): Promise<string> {
  const [page = ''] = link.split('#')
  const asked = await fetch(page, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ request: text }),
  })
  return answerSchema.parse(await asked.json()).answer
}

/** A computer that never goes online, from its first start until it is activated. */
const offlineSteps: readonly TourStep[] = [
  {
    title: 'No network: the app offers to activate without internet',
    async run(stage) {
      await stage.start()
      const window = await stage.activationWindow()
      await enterKey(window, stage.licenseKey)
      await window.getByRole('button', { name: 'Activate without internet' }).waitFor()
      expectNoRequest(stage)
      await stage.picture(window, 'no-network')
    },
  },
  {
    title: 'The app shows a request: as a QR code, as a file and as text',
    async run(stage) {
      const window = await stage.activationWindow()
      await window.getByRole('button', { name: 'Activate without internet' }).click()
      await window.getByRole('img', { name: 'The request as a QR code' }).waitFor()
      expectNoRequest(stage)
      await stage.picture(window, 'request')
    },
  },
  {
    title: 'Another device activates on the gateway’s page, and the app takes the answer',
    async run(stage) {
      const window = await stage.activationWindow()
      const shown = await window.evaluate(
        (key) => Reflect.get(globalThis, 'latchkey').createOfflineRequest(key),
        stage.licenseKey,
      )
      const answer = await answerTo(requestSchema.parse(shown))
      assert.equal(seatsInUse(stage), 1)
      await window.getByRole('button', { name: 'Enter answer' }).click()
      await window.getByRole('textbox', { name: 'Answer' }).fill(answer)
      await window.getByRole('button', { name: 'Activate', exact: true }).click()
      await window.locator('.lead').getByText('Active without internet until').waitFor()
      await stage.picture(window, 'activated')
      const main = await stage.mainWindow()
      await stage.oneWindow()
      await stage.picture(main, 'opens-without-internet')
    },
  },
  {
    title: 'The next start opens at once, and nobody is asked',
    async run(stage) {
      await stage.quit()
      await stage.start()
      await stage.mainWindow()
      expectNoRequest(stage)
    },
  },
]

/** An app without any service, from its first start until it is deactivated. The emulator runs, and nobody asks it. */
const signedKeySteps: readonly TourStep[] = [
  {
    title: 'An edited key is refused on this computer',
    async run(stage) {
      await stage.start()
      const window = await stage.activationWindow()
      await enterKey(window, edited(stage.licenseKey))
      await window.locator('[part~=error]').waitFor()
      await stage.picture(window, 'edited-key')
    },
  },
  {
    title: 'The right key activates without a network, and shows whom it was issued to',
    async run(stage) {
      await enterKey(await stage.activationWindow(), stage.licenseKey)
      const main = await stage.mainWindow()
      await stage.oneWindow()
      await main.locator('.license-line').click()
      await main.getByRole('dialog').getByText('Ada Lovelace (ada@example.com)').waitFor()
      await stage.picture(main, 'issued-to')
    },
  },
  {
    title: 'The next start opens at once',
    async run(stage) {
      await stage.quit()
      await stage.start()
      await stage.picture(await stage.mainWindow(), 'opens-at-once')
    },
  },
  {
    title: 'Deactivate this device: the app asks for a key again',
    async run(stage) {
      const main = await stage.mainWindow()
      await main.locator('.license-line').click()
      await deactivate(main)
      await stage.picture(await stage.activationWindow(), 'asks-again')
      await stage.quit()
    },
  },
]

/** The steps of each tour. */
export const stepsOf: Readonly<Record<Demo['kind'], readonly TourStep[]>> = {
  online: tourSteps,
  offline: offlineSteps,
  'signed-keys': signedKeySteps,
}

/**
 * Runs the tour. Every step is performed and checked in the real app, and the service's log is printed with it.
 *
 * @param picturesPath the folder for the screenshots. It is emptied first.
 * @param tell receives the output, line by line.
 * @throws the error of the first step that fails.
 */
export async function playTour(
  demo: Demo,
  picturesPath: string,
  tell: (line: string) => void = console.log,
): Promise<void> {
  const { control } = demo.emulator
  await rm(picturesPath, { recursive: true, force: true })
  const userDataPath = await mkdtemp(path.join(os.tmpdir(), 'latchkey-demo-'))
  const stage = createStage(demo, userDataPath, picturesPath)
  try {
    for (const [index, step] of stepsOf[demo.kind].entries()) {
      control.clearRequests()
      await step.run(stage).catch((error: unknown) => {
        throw new Error(`Step ${index + 1} did not hold: ${step.title}`, { cause: error })
      })
      tell(`${index + 1}. ${step.title}`)
      tell(`   The service saw: ${control.requests().map(describeRequest).join(', ') || 'nothing'}`)
    }
  } finally {
    await stage.abandon()
    await rm(userDataPath, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
  }
}
