import '@latchkey/electron/dialog'
import { licensing } from '@latchkey/electron/renderer'

const stop: () => void = licensing.subscribe((state) => {
  const entitled: boolean = state.entitled
  document.title = `${entitled}`
})
stop()
document.body.append(document.createElement('latchkey-activation'))
