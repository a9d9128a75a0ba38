import { expect, test } from 'vitest'
import { pushState, type StateReceiver } from '../../../src/main/ipc/connect-windows.ts'
import { eventChannels } from '../../../src/shared/licensing-bridge.ts'
import { bareStates } from '../../doubles/bare-states.ts'

const state = bareStates.unlicensed

test('every trusted page gets the state, and no other; a page that dies doesn’t stop the others', () => {
  const told: string[] = []
  const receiver = (id: number, url: string, options: Partial<StateReceiver> = {}): StateReceiver => ({
    id,
    mainFrame: { url, send: (channel, message) => told.push(`${id} ${channel} ${JSON.stringify(message)}`) },
    getType: () => 'window',
    isDestroyed: () => false,
    ...options,
  })
  const dying: StateReceiver = {
    ...receiver(4, 'app://notes/'),
    get mainFrame(): never {
      throw new Error('Render frame was disposed before WebFrameMain could be accessed')
    },
  }
  pushState(state, {
    receivers: () => [
      receiver(1, 'https://evil.example/'),
      receiver(2, 'app://notes/'),
      receiver(3, 'app://notes/', { isDestroyed: () => true }),
      dying,
      receiver(5, 'app://notes/', { getType: () => 'webview' }),
      receiver(6, 'app://notes/'),
      receiver(99, 'https://activation.latchkey.invalid/'),
    ],
    isActivationWindow: (id) => id === 99,
    isTrusted: ({ url, isWebview, isActivationWindow }) =>
      isActivationWindow || (url === 'app://notes/' && !isWebview),
  })
  const message = `${eventChannels.state} ${JSON.stringify(state)}`
  expect(told).toEqual([`2 ${message}`, `6 ${message}`, `99 ${message}`])
})
