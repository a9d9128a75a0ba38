import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import type { Emulator, RequestRecord } from '@latchkey/emulator'
import type { Page } from 'playwright'
import * as z from 'zod/mini'
import { type LaunchedApp, launchApp } from '../e2e/launch-app.ts'
import { waitUntil } from '../e2e/wait-until.ts'
import { exampleAppPath } from '../workspace/repository.ts'
import { type AppEnvironment, directEnvironment } from './app-environment.ts'

/** Folders of a tour. */
interface StageFolders {
  readonly userDataPath: string
  readonly picturesPath: string
}

/** The app at this point of the tour, and what can be done with it. */
interface Stage {
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
  /** Returns the number of open windows. */
  windowCount(): number
  /** Takes a screenshot of a window. */
  picture(page: Page, name: string): Promise<void>
}

/** Prepares the app for one user on one computer. */
function createStage(environment: AppEnvironment, folders: StageFolders): Stage {
  const { userDataPath, picturesPath } = folders
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
    async start() {
      app = await launchApp({
        appPath: exampleAppPath,
        userDataPath,
        env: environment,
      })
    },
    async quit() {
      await running().close()
      app = undefined
    },
    async abandon() {
      await app?.kill()
      app = undefined
    },
    activationWindow: () => windowWith('latchkey-activation', 'the activation screen opens'),
    mainWindow: () => windowWith('.sidebar', 'the main window opens'),
    windowCount: () => running().electronApp.windows().length,
    async picture(page, name) {
      pictureCount += 1
      await mkdir(picturesPath, { recursive: true })
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

/** What a step of the tour uses. */
interface TourContext {
  readonly stage: Stage
  readonly licenseKey: string
  /** Its log has the requests of the current step. */
  readonly emulator: Emulator
}

/** One step: does what a user would do, and throws if the result is wrong. */
interface TourStep {
  readonly title: string
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
    async run({ stage, emulator }) {
      await stage.start()
      const window = await stage.activationWindow()
      await window.getByLabel('License key').waitFor()
      assert.equal(stage.windowCount(), 1)
      assert.equal(emulator.control.requests().length, 0)
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
        context.emulator.face !== 'commerce' ||
          context.emulator.control.requests().every(({ status }) => status === 404),
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
      await main.getByRole('dialog').getByText('Licensed', { exact: true }).waitFor()
      assert.ok(!(await main.content()).includes(emulator.licenseKey), 'the page has no full key')
      await stage.picture(main, 'license-panel')
    },
  },
  {
    title:
      'Quit and start again: the window opens before the service has answered, then the key is validated',
    async run(context) {
      const { stage, emulator } = context
      await stage.quit()
      emulator.control.clearRequests()
      const slow = emulator.control.faults.inject({ fault: 'delay', delayMs: 3_000 })
      await stage.start()
      const main = await stage.mainWindow()
      assert.ok(
        emulator.control.requests().every(({ outcome }) => outcome === 'pending'),
        'the window opened without waiting for an answer',
      )
      await stage.picture(main, 'opens-at-once')
      await waitUntil('the key is validated', () =>
        emulator.control
          .requests()
          .some((request) => request.operation === 'validate' && request.status === 200)
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
      await deactivate(main)
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
    async run(context) {
      const { stage } = context
      await stage.quit()
      context.emulator.control.clearRequests()
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

function asked({ emulator }: TourContext, operation: string): boolean {
  return emulator.control.requests().some((request) => request.operation === operation)
}

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
export const offlineSteps: readonly TourStep[] = [
  {
    title: 'No network: the app offers to activate without internet',
    async run({ stage, emulator }) {
      await stage.start()
      const window = await stage.activationWindow()
      await window.getByLabel('License key').fill(emulator.licenseKey)
      await window.getByRole('button', { name: 'Activate', exact: true }).click()
      await window.getByRole('button', { name: 'Activate without internet' }).waitFor()
      assert.equal(emulator.control.requests().length, 0)
      await stage.picture(window, 'no-network')
    },
  },
  {
    title: 'The app shows a request: as a QR code, as a file and as text',
    async run({ stage, emulator }) {
      const window = await stage.activationWindow()
      await window.getByRole('button', { name: 'Activate without internet' }).click()
      await window.getByRole('img', { name: 'The request as a QR code' }).waitFor()
      assert.equal(emulator.control.requests().length, 0)
      await stage.picture(window, 'request')
    },
  },
  {
    title: 'Another device activates on the gateway’s page, and the app takes the answer',
    async run({ stage, emulator }) {
      const window = await stage.activationWindow()
      const shown = await window.evaluate(
        (key) => Reflect.get(globalThis, 'latchkey').createOfflineRequest(key),
        emulator.licenseKey,
      )
      const answer = await answerTo(requestSchema.parse(shown))
      assert.equal(emulator.control.keys(emulator.demoLicense.id).length, 1)
      await window.getByRole('button', { name: 'Enter answer' }).click()
      await window.getByRole('textbox', { name: 'Answer' }).fill(answer)
      await window.getByRole('button', { name: 'Activate', exact: true }).click()
      await window.locator('.lead').getByText('Active without internet until').waitFor()
      await stage.picture(window, 'activated')
      const main = await stage.mainWindow()
      await waitUntil('the activation screen closes', () => (stage.windowCount() === 1 ? true : undefined))
      await stage.picture(main, 'opens-without-internet')
    },
  },
  {
    title: 'The next start opens at once, and nobody is asked',
    async run({ stage, emulator }) {
      await stage.quit()
      await stage.start()
      await stage.mainWindow()
      assert.equal(emulator.control.requests().length, 0)
    },
  },
]

/** An app without any service, from its first start until it is deactivated. The emulator runs, and nobody asks it. */
export const signedKeySteps: readonly TourStep[] = [
  {
    title: 'An edited key is refused on this computer',
    async run({ stage, licenseKey }) {
      await stage.start()
      const window = await stage.activationWindow()
      await activateWith(
        window,
        licenseKey.replace(/.$/u, (last) => (last === '0' ? '8' : '0')),
      )
      await window.locator('[part~=error]').waitFor()
      await stage.picture(window, 'edited-key')
    },
  },
  {
    title: 'The right key activates without a network, and shows whom it was issued to',
    async run({ stage, licenseKey }) {
      await activateWith(await stage.activationWindow(), licenseKey)
      const main = await stage.mainWindow()
      await waitUntil('the activation screen closes', () => (stage.windowCount() === 1 ? true : undefined))
      await main.locator('.license-line').click()
      await main.getByRole('dialog').getByText('Ada Lovelace (ada@example.com)').waitFor()
      await stage.picture(main, 'issued-to')
    },
  },
  {
    title: 'The next start opens at once',
    async run({ stage }) {
      await stage.quit()
      await stage.start()
      await stage.picture(await stage.mainWindow(), 'opens-at-once')
    },
  },
  {
    title: 'Deactivate this device: the app asks for a key again',
    async run({ stage }) {
      const main = await stage.mainWindow()
      await main.locator('.license-line').click()
      await deactivate(main)
      await main.locator('.license-line').getByText('Not activated').waitFor()
      await stage.picture(await stage.activationWindow(), 'asks-again')
      await stage.quit()
    },
  },
]

async function deactivate(main: Page): Promise<void> {
  await main.getByRole('button', { name: 'Deactivate this device' }).click()
  await main.getByRole('button', { name: 'Deactivate', exact: true }).click()
}

async function activateWith(window: Page, licenseKey: string): Promise<void> {
  await window.getByLabel('License key').fill(licenseKey)
  await window.getByRole('button', { name: 'Activate', exact: true }).click()
}

/** Options of a tour. */
interface TourOptions {
  /** The folder for a screenshot of each step. It is emptied first. */
  readonly picturesPath: string
  /** The app's settings for the service. @default the service itself */
  readonly environment?: AppEnvironment
  /** @default the emulator's license key */
  readonly licenseKey?: string | undefined
  /** @default the whole tour */
  readonly steps?: readonly TourStep[]
  /** Receives the output, line by line. @default console.log */
  readonly tell?: (line: string) => void
}

/**
 * Runs the tour. Every step is performed and checked in the real app, and the service's log is printed with it.
 *
 * @throws the error of the first step that fails.
 */
export async function playTour(emulator: Emulator, options: TourOptions): Promise<void> {
  const { picturesPath, steps = tourSteps, tell = console.log } = options
  const { environment = directEnvironment(emulator), licenseKey = emulator.licenseKey } = options
  await rm(picturesPath, { recursive: true, force: true })
  const userDataPath = await mkdtemp(path.join(os.tmpdir(), 'latchkey-demo-'))
  const stage = createStage(environment, { userDataPath, picturesPath })
  try {
    for (const [index, step] of steps.entries()) {
      emulator.control.clearRequests()
      await step.run({ stage, emulator, licenseKey }).catch((error: unknown) => {
        throw new Error(`Step ${index + 1} did not hold: ${step.title}`, { cause: error })
      })
      tell(`${index + 1}. ${step.title}`)
      tell(`   The service saw: ${emulator.control.requests().map(describeRequest).join(', ') || 'nothing'}`)
    }
  } finally {
    await stage.abandon()
    await rm(userDataPath, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
  }
}
