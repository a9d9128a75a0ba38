import { licensing } from '@latchkey/electron/renderer'

const line = document.querySelector('#license')

function show(): void {
  const state = licensing.getSnapshot()
  if (line === null || state === null) return
  line.textContent = `${state.status} ${state.license?.maskedKey ?? ''}`
}

licensing.subscribe(show)
show()
