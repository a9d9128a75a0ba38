import '@latchkey/electron/dialog'
import { licensing } from '@latchkey/electron/renderer'
import { createFakeClient, type FakeClient } from '@latchkey/electron/testing'

const stop: () => void = licensing.subscribe((state) => {
  const entitled: boolean = state.entitled
  document.title = `${entitled}`
})
stop()
document.body.append(document.createElement('latchkey-activation'))

const fake: FakeClient = createFakeClient({ status: 'active' })
fake.script('activate', 'no-seat-left')
