import { startEmulator } from '@latchkey/emulator'
import { expect, onTestFinished, test } from 'vitest'
import { describeRequests, openServiceDiary } from '../demo/service-diary.ts'

test('the demo describes the requests since the last step in words', async () => {
  const emulator = await startEmulator()
  onTestFinished(() => emulator.close())
  const diary = openServiceDiary(emulator)
  expect(describeRequests(diary.page())).toBe('nothing')

  const headers = { authorization: `Bearer ${emulator.accessToken}`, 'content-type': 'application/json' }
  await fetch(`${emulator.baseUrl}/licenses/${emulator.demoLicense.id}/keys`, { headers })
  await fetch(`${emulator.baseUrl}/licenses/${emulator.demoLicense.id}/keys`)
  await expect.poll(() => describeRequests(diary.page())).toBe('list keys → 200, list keys → 401')

  diary.turnPage()
  expect(diary.page()).toEqual([])
})
