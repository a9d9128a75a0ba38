import { writeOfflineRequest } from '@latchkey/services/offline'
import { expect, test, vi } from 'vitest'
import { allTexts } from '../../src/offline/page/texts/all-texts.ts'
import { otherFingerprint } from '../services/face-fixture.ts'
import { asking, startOffline } from './offline-fixture.ts'
import { openPage } from './open-page.ts'

/** The page's own requests use `fetch`, too. */
const gatewaysFetch = globalThis.fetch

test('the page shows the names of the devices that hold the seats, exactly as they are', async () => {
  const { ask, emulator, licenseKey, licenseId } = await startOffline('commerce', {
    fetch: gatewaysFetch,
  })
  const names = ['$& of $1', "$` and $'", '$$']
  for (const name of names) emulator.control.addKey(licenseId, `${name} [${otherFingerprint}]`)
  const request = writeOfflineRequest({ ...asking, licenseKey })
  const { buttons } = openPage(request, (body) => ask('POST', '/offline', body))
  const { activate, release } = allTexts['en'] ?? { activate: '', release: '' }
  await vi.waitFor(() => expect([...buttons().keys()]).toContain(activate), { timeout: 60_000 })
  buttons().get(activate)?.()
  const [before, after] = release.split('{name}')
  await vi.waitFor(() =>
    expect([...buttons().keys()]).toEqual(
      expect.arrayContaining(names.map((name) => `${before}\u2068${name}\u2069${after}`)),
    ),
  )
})
