import { licensing } from '@latchkey/electron/renderer'

const show = (): void => {
  const status = document.getElementById('status')
  if (status !== null) status.textContent = licensing.getSnapshot()?.status ?? ''
}
licensing.subscribe(show)
show()
