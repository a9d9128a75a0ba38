// @vitest-environment happy-dom
import { expect, test } from 'vitest'
import { createKeyField } from '../../src/dialog/key-field.ts'

const licenseKey = 'C1B6DE-39A6E3-DE1529-8559A0-4AF593-V3'

test.each([false, true])('a link’s key is shown as found where keys can have any form: %s', (takesAny) => {
  const field = createKeyField(() => {})
  const input = document.createElement('input')
  field.takesAny = takesAny
  const known = takesAny ? licenseKey : '1f0a0000-0000-4000-8000-000000009c1d'
  field.fill(input, known, true)
  expect(field).toMatchObject({ isFromLink: true, foundKey: `${known.slice(0, 4)}••••${known.slice(-4)}` })
  input.value = `${known}0`
  field.input(input)
  expect(field).toMatchObject({ isFromLink: false, foundKey: null })
})

test('a text that the user typed is no found key where keys can have any form', () => {
  const field = createKeyField(() => {})
  const input = document.createElement('input')
  field.takesAny = true
  field.fill(input, licenseKey, false)
  expect(field.foundKey).toBeNull()
})
