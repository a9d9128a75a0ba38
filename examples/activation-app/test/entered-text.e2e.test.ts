import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import { activateInkwell, seatsInUse, test, typeKey } from './inkwell.ts'

const uuid = randomUUID()

/** The entered text, and the start of the message. If it contains several keys, the user chooses one instead. */
const refusals: Readonly<
  Record<string, { readonly text: string; readonly code: string; readonly told: string | null }>
> = {
  nothing: { text: '', code: 'empty-text', told: 'Nothing was entered.' },
  'text without a key': {
    text: 'Thank you for your purchase!',
    code: 'no-license-key',
    told: 'There’s no license key in this text.',
  },
  'half a key': {
    text: uuid.slice(0, 30),
    code: 'incomplete-license-key',
    told: 'A part of the license key is missing.',
  },
  'two different keys': {
    text: `${uuid} ${randomUUID()}`,
    code: 'several-license-keys',
    told: null,
  },
  'a megabyte of text': {
    text: `${uuid} ${'x'.repeat(1024 * 1024)}`,
    code: 'text-too-long',
    told: 'This text is too long to be a license key.',
  },
}

test('text that cannot be a key is refused with a reason, before anything is sent', async ({
  openInkwell,
  emulator,
}) => {
  const inkwell = await openInkwell()
  const activation = await inkwell.activationWindow()
  for (const [entered, { text, code, told }] of Object.entries(refusals)) {
    if (told !== null) {
      await typeKey(activation, text)
      await activation.getByText(told).first().waitFor()
    }
    const result = await activation.evaluate((entry) => window.latchkey.activate(entry), text)
    expect(result, entered).toMatchObject({ ok: false, problem: { code } })
  }
  expect(emulator.control.requests()).toEqual([])
  expect(seatsInUse(emulator)).toBe(0)

  // The invalid text doesn't affect the correct key.
  await activateInkwell(inkwell, emulator.licenseKey)
  expect(seatsInUse(emulator)).toBe(1)
})
