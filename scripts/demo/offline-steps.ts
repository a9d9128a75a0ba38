import assert from 'node:assert/strict'
import * as z from 'zod/mini'
import { waitUntil } from '../e2e/wait-until.ts'
import type { TourStep } from './tour-steps.ts'

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
    async run({ stage, emulator, diary }) {
      await stage.start()
      const window = await stage.activationWindow()
      await window.getByLabel('License key').fill(emulator.licenseKey)
      await window.getByRole('button', { name: 'Activate', exact: true }).click()
      await window.getByRole('button', { name: 'Activate without internet' }).waitFor()
      assert.equal(diary.page().length, 0)
      await stage.picture(window, 'no-network')
    },
  },
  {
    title: 'The app shows a request: as a QR code, as a file and as text',
    async run({ stage, diary }) {
      const window = await stage.activationWindow()
      await window.getByRole('button', { name: 'Activate without internet' }).click()
      await window.getByRole('img', { name: 'The request as a QR code' }).waitFor()
      assert.equal(diary.page().length, 0)
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
    async run({ stage, diary }) {
      await stage.quit()
      await stage.start()
      await stage.mainWindow()
      assert.equal(diary.page().length, 0)
    },
  },
]
